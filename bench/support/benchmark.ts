import type { ControlPlane } from '../../test/support/control-plane/control-plane.ts';
import type { Measurement } from './measurement.ts';
import type { Program } from './program.ts';

/** Something that can be measured. */
export interface Benchmark {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  /** True where the writes of the whole API server are counted, so that nobody else may make any meanwhile. */
  readonly countsWrites?: boolean;
  run(context: BenchContext): Promise<readonly Measurement[]>;
}

/** What a benchmark is run with. */
export interface BenchContext {
  /** Few resources and short times: shows that it still measures, not how much. */
  readonly smoke: boolean;
  /** How often to repeat what is repeated; absent: the benchmark knows. */
  readonly runs: number | undefined;
  /** How long to watch what is watched; absent: the benchmark knows. */
  readonly minutes: number | undefined;
  /** A real API server; a new one for every benchmark unless it is a smoke run. */
  plane(): Promise<ControlPlane>;
  /** The bundle of the present source. */
  program(): Promise<Program>;
  /** Says on standard error what is being done, so that nobody waits before a silent terminal. */
  progress(text: string): void;
}
