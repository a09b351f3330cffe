import type { ControlPlane } from '../../test/support/control-plane/control-plane.ts';
import type { Measurement } from './measurement.ts';
import type { Program } from './program.ts';

/** Something that can be measured. */
export interface Benchmark {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  /** True if the benchmark counts the writes of the whole API server, so nothing else may write meanwhile. */
  readonly countsWrites?: boolean;
  run(context: BenchContext): Promise<readonly Measurement[]>;
}

/** The options and helpers of a run. */
export interface BenchContext {
  /** Few resources and short times: shows that it still measures, not how much. */
  readonly smoke: boolean;
  /** The number of repetitions; absent: the benchmark decides. */
  readonly runs: number | undefined;
  /** The time to observe; absent: the benchmark decides. */
  readonly minutes: number | undefined;
  /** A real API server; a new one for every benchmark unless it is a smoke run. */
  plane(): Promise<ControlPlane>;
  /**
   * Ends the API server unless it is a smoke run, so that the next fleet finds an empty one. Otherwise the controller
   * would also hold the resources of the fleets before it, and wait for their services, which have ended.
   */
  leavePlane(): Promise<void>;
  /** The bundle of the present source. */
  program(): Promise<Program>;
  /** Prints the current step on standard error, so that the terminal is not silent. */
  progress(text: string): void;
}
