import { UsageError } from '../config.ts';
import { ExpectedError } from '../model/expected-error.ts';
import { ConnectionError, FailureError } from '../model/failure.ts';
import { textForPeople } from '../model/text-for-people.ts';

/** Room for a message and a few dozen places in the code. */
const BUG_BYTES = 4096;

/** One line for what a person can mend; for what only we can, the stack as well, in the same line. */
export function errorText(error: unknown, program: string): string {
  const expected = [UsageError, ExpectedError, FailureError, ConnectionError].some(
    (kind) => error instanceof kind,
  );
  if (expected && error instanceof Error) return `${program}: ${error.message}`;
  // Not the error as a whole: libraries hang requests, with their headers, on it.
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${program}: this is a bug, please report it: ${textForPeople(detail.replaceAll(/\n\s+/g, ' '), BUG_BYTES)}`;
}
