import type { FaultProxy } from '../fault-proxy/fault-proxy.ts';
import type { OperatorProcess } from '../worlds/operator-process.ts';

/** One process of a controller, from start to end. */
export interface Life {
  readonly startedMs: number;
  /** The time at which the process ended; absent while it runs. */
  endedMs?: number;
  readonly process: OperatorProcess;
}

/** A controller that is killed and restarted, behind its own proxy. */
export class Replica {
  readonly name: string;
  readonly proxy: FaultProxy;
  readonly lives: Life[] = [];
  /**
   * Last lines of processes that ended by themselves before they were ready, for example because the API server was
   * away.
   */
  readonly failedStarts: string[] = [];
  /** The number of processes that ended as they must: a process that may have lost the Lease must do nothing more. */
  lostLeases = 0;
  readonly #begin: () => OperatorProcess;

  /** `begin` starts the next process. */
  constructor(name: string, proxy: FaultProxy, begin: () => OperatorProcess) {
    this.name = name;
    this.proxy = proxy;
    this.#begin = begin;
  }

  start(): Life {
    const life: Life = { startedMs: Date.now(), process: this.#begin() };
    this.lives.push(life);
    return life;
  }

  /** The newest process. */
  get life(): Life {
    const life = this.lives.at(-1);
    if (life === undefined) throw new Error(`${this.name} was never started`);
    return life;
  }

  get isReady(): boolean {
    return this.life.process.lines.some((line) => line.includes('"msg":"ready"'));
  }

  /** Restarts it if it ended by itself, as Kubernetes would. Returns its last lines if it had been ready. */
  revive(): string | undefined {
    const { isReady, life } = this;
    if (life.endedMs !== undefined || life.process.exitCode === null) return undefined;
    life.endedMs = Date.now();
    this.start();
    const lastWords = life.process.lines.at(-1) ?? '';
    if (life.process.exitCode === 1 && lastWords.includes('leadership is lost')) this.lostLeases += 1;
    else if (isReady) return `${this.name} ended with ${life.process.exitCode}: ${lastWords}`;
    else this.failedStarts.push(lastWords);
    return undefined;
  }

  /** Kills the process with kill -9. Returns the time. */
  async kill(): Promise<number> {
    const { life } = this;
    const killedMs = Date.now();
    life.endedMs ??= killedMs;
    await life.process.kill();
    return killedMs;
  }

  /** Freezes the process for `ms`, with open sockets. It continues without knowing that time has passed. */
  async freeze(ms: number): Promise<void> {
    const { pid } = this.life.process;
    process.kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.proxy.stop();
  }
}
