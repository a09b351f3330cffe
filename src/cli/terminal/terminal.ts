import type { Environment } from '../../config.ts';
import type { ExitCode } from './exit-code.ts';

/** Where a command reads and writes: the process, or a test. */
export interface Terminal {
  /** Prints results, tables and documents. */
  readonly out: (text: string) => void;
  /** Prints errors and hints. */
  readonly err: (text: string) => void;
  /** Width in characters; Infinity where output goes to a file or a pipe. */
  readonly columns: number;
  /** All of standard input, or its beginning where there is more than so many bytes. */
  readonly readStdin: (maxBytes: number) => Promise<Uint8Array>;
  /** Asks a question and returns the line that a person types; absent without a terminal. */
  readonly ask?: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  readonly environment: Environment;
  /**
   * A signal that aborts at Ctrl-C or SIGTERM, with a Stopped as its reason. A command that never asks for it is ended
   * by them at once.
   */
  readonly untilStopped: () => AbortSignal;
  /** Ends the program this instant, whatever is still open: not another byte may leave it. */
  readonly endNow: (code: ExitCode) => never;
}

/** Why a command was asked to end. */
export class Stopped extends Error {
  readonly by: 'SIGINT' | 'SIGTERM';

  constructor(by: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${by}`);
    this.name = 'Stopped';
    this.by = by;
  }
}
