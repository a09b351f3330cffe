import { ExpectedError } from '../../base/expected-error.ts';
import type { Terminal } from './terminal.ts';

/** The terminal of the person who is asked. */
export interface AskedOn {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Called on Ctrl-C during the question: while a terminal is read line by line, the process gets no signal. */
  readonly interrupt: () => void;
}

/** True for a yes; any other answer is a no. */
function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}

/** A question to the person at the terminal. */
export interface Question {
  /** The consequence of a yes, such as `this approves 2 plans (a, b)`. */
  readonly what: string;
  /** The line that reports a refusal: nothing was done. */
  readonly refused: string;
  /** The flags that replace the answer. */
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

/** Asks, and returns the typed line. Rejects with the reason of `signal` when it aborts. */
export async function askOn(
  { input, output, interrupt }: AskedOn,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  // Most runs ask nothing, so the module is loaded only here.
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
