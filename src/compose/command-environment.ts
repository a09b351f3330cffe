import type { ReadStdin } from '../directory/manifest-files.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { SessionEnvironment } from './session.ts';

/** What a command gives to a session: real time, and a log of errors only, which says what the command itself cannot. */
export function commandEnvironment(how: {
  readonly readStdin: ReadStdin;
  readonly err: (text: string) => void;
}): SessionEnvironment {
  const output = { write: (line: string) => how.err(line) };
  const logger = createLogger({ level: 'error', format: 'pretty', clock: systemClock, output });
  return { clock: systemClock, logger, readStdin: how.readStdin };
}
