import { ExpectedError } from '../../base/expected-error.ts';
import type { Terminal } from './terminal.ts';

/** The terminal on which a person reads and types. */
export interface AskedOn {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Called on Ctrl-C during the question, since a terminal that is read by the line hides it from the process. */
  readonly interrupt: () => void;
}

/** Anything but a yes is a no. */
function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}

/** A question to the person at the terminal. */
export interface Question {
  /** Says what would be done, such as `this approves 2 plans (a, b)`. */
  readonly what: string;
  /** Says in one line that nothing was done. */
  readonly refused: string;
  /** Names the flags that replace the answer. */
  readonly flags: string;
}

/**
 * Asks the person, and returns whether the person agrees. Throws an ExpectedError that names the flags if there is no
 * terminal.
 */
export async function agreed(
  { what, refused, flags }: Question,
  { ask, err }: { readonly ask?: Terminal['ask'] | undefined; readonly err: Terminal['err'] },
  signal: AbortSignal,
): Promise<boolean> {
  if (ask === undefined) {
    throw new ExpectedError(`${what} and there is nobody to ask: ${refused}; give ${flags}`);
  }
  if (isYes(await ask(`${what}. Go on? [y/N] `, signal))) return true;
  err(`${refused}\n`);
  return false;
}

/** Asks and answers the line that was typed; rejects with the reason of `signal` when that aborts. */
export async function askOn(
  { input, output, interrupt }: AskedOn,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  // Most runs ask nothing.
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input, output });
  lines.on('SIGINT', interrupt);
  try {
    return await lines.question(question, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    lines.close();
  }
}
