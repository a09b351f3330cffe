import { createInterface } from 'node:readline/promises';

/** Where a person reads and types. */
export interface AskedOn {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** What Ctrl-C does while the question stands: a terminal that is read by the line hides it from the process. */
  readonly interrupt: () => void;
}

/** Anything but a yes is a no. */
export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Asks and answers the line that was typed; rejects with the reason of `signal` when that aborts. */
export async function askOn(
  { input, output, interrupt }: AskedOn,
  question: string,
  signal: AbortSignal,
): Promise<string> {
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
