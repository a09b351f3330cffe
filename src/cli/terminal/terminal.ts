import type { Environment } from '../../config.ts';
import { MAX_MANIFEST_BYTES } from '../../api/file-problem.ts';

/** The input and output of a command: the process, or a test. */
export interface Terminal {
  /** Prints results, tables and documents. */
  readonly out: (text: string) => void;
  /** Prints errors and hints. */
  readonly err: (text: string) => void;
  /** The width in characters; Infinity if the output goes to a file or a pipe. */
  readonly columns: number;
  /** Returns all of standard input, or its beginning if it has more bytes. */
  readonly readStdin: (maxBytes: number) => Promise<Uint8Array>;
  /** Asks a question and returns the line that a person types; absent without a terminal. */
  readonly ask?: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  readonly environment: Environment;
  /**
   * Returns a signal that aborts at Ctrl-C or SIGTERM, with a Stopped as its reason. If a command never calls this,
   * Ctrl-C and SIGTERM end it at once.
   */
  readonly untilStopped: () => AbortSignal;
  /** Ends the program at once, whatever is still open: it must not send another byte. */
  readonly endNow: (code: ExitCode) => never;
}

/** The reason of an abort: the user stopped the command. */
export class Stopped extends Error {
  readonly by: 'SIGINT' | 'SIGTERM';

  constructor(by: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${by}`);
    this.name = 'Stopped';
    this.by = by;
  }
}

/** The exit codes of the program. Scripts depend on them. */
export const EXIT = {
  /** Done, or stopped as asked. */
  ok: 0,
  /** Something is wrong; the last line says what. */
  failed: 1,
  /** `plan`: nothing is wrong, but something would change. */
  changes: 2,
  /** Unfinished: the time is over, or a person has to approve something. */
  unfinished: 3,
  /** The command line is invalid. */
  usage: 64,
  /** Stopped by Ctrl-C before the end. */
  interrupted: 130,
  /** Stopped by SIGTERM before the end. */
  terminated: 143,
} as const;

/** An exit code of the program. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Reads standard input for manifests if it is among the paths. Does so before anything else: nothing needs a cleanup
 * then, and Ctrl-C ends the program at once.
 */
export async function standardInputOf(
  paths: readonly string[],
  { readStdin }: Pick<Terminal, 'readStdin'>,
): Promise<Terminal['readStdin']> {
  const bytes = paths.includes('-') ? await readStdin(MAX_MANIFEST_BYTES) : new Uint8Array();
  return async () => bytes;
}
