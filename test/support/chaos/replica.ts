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
