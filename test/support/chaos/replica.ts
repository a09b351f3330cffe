import type { FaultProxy } from '../fault-proxy/fault-proxy.ts';
import { type OperatorProcess, startOperator } from '../operator-process.ts';

/** One life of a controller, from start to end. */
export interface Life {
  readonly startedMs: number;
  /** Absent while it lives. */
  endedMs?: number;
  readonly process: OperatorProcess;
}

/** A controller that is killed and started again, behind a proxy of its own. */
export class Replica {
  readonly name: string;
  readonly proxy: FaultProxy;
  readonly lives: Life[] = [];
  /** Lives that ended by themselves before they were ready: whoever cannot reach the API server at its start gives up. */
  failedStarts = 0;
  readonly #main: string;
  readonly #args: readonly string[];

  constructor(name: string, about: { proxy: FaultProxy; main: string; args: readonly string[] }) {
    this.name = name;
    this.proxy = about.proxy;
    this.#main = about.main;
    this.#args = about.args;
  }

  start(): Life {
    const life: Life = { startedMs: Date.now(), process: startOperator(this.#args, this.#main) };
    this.lives.push(life);
    return life;
  }

  /** The newest life. */
  get life(): Life {
    const life = this.lives.at(-1);
    if (life === undefined) throw new Error(`${this.name} was never started`);
    return life;
  }

  get isReady(): boolean {
    return this.life.process.lines.some((line) => line.includes('"msg":"ready"'));
  }

  /** Starts it again where it ended by itself, as Kubernetes would; answers its last words where it had been ready. */
  revive(): string | undefined {
    const { isReady, life } = this;
    if (life.endedMs !== undefined || life.process.exitCode === null) return undefined;
    life.endedMs = Date.now();
    this.start();
    if (isReady)
      return `${this.name} ended with ${life.process.exitCode}: ${life.process.lines.at(-1) ?? ''}`;
    this.failedStarts += 1;
    return undefined;
  }

  /** kill -9; answers the moment. */
  async kill(): Promise<number> {
    const { life } = this;
    const killedMs = Date.now();
    life.endedMs ??= killedMs;
    await life.process.kill();
    return killedMs;
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.proxy.stop();
  }
}
