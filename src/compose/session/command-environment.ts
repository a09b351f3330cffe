import type { ReadStdin } from '../../directory/manifests/manifest-files.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import { openSession, type Session, type SessionEnvironment, type SessionOptions } from './session.ts';

/** The shortest pause that is worth a line, in milliseconds. */
const NOTED_PAUSE_MS = 1_000;

/**
 * Returns the environment of a session: real time, a log that reports only errors that the command itself cannot
 * report, and a line for each pause that a person would notice.
 */
export function commandEnvironment(how: {
  readonly readStdin: ReadStdin;
  readonly err: (text: string) => void;
}): SessionEnvironment {
  const output = { write: (line: string) => how.err(line) };
  const logger = createLogger({ level: 'error', format: 'pretty', clock: systemClock, output });
  const onPause = (ms: number): void => {
    if (ms < NOTED_PAUSE_MS) return;
    how.err(`the service asks for fewer requests (429): waiting ${Math.ceil(ms / 1000)} s\n`);
  };
  return { clock: systemClock, logger, readStdin: how.readStdin, onPause };
}

/** Opens a session for a command; `withSession` closes it. */
export function openCommandSession(
  options: SessionOptions,
  terminal: Parameters<typeof commandEnvironment>[0],
  signal: AbortSignal,
): Promise<Session> {
  return openSession(options, commandEnvironment(terminal), signal);
}

/** Uses a session once and closes it, whatever the result. */
export async function withSession<T>(
  opening: Promise<Session>,
  look: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await opening;
  try {
    return await look(session);
  } finally {
    await session.close();
  }
}
