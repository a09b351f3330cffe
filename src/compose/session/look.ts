import { commandEnvironment } from './command-environment.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

/** Opens a session for one look and closes it, however that ends. */
export async function withSession<T>(
  options: SessionOptions,
  terminal: Parameters<typeof commandEnvironment>[0],
  signal: AbortSignal,
  look: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession(options, commandEnvironment(terminal), signal);
  try {
    return await look(session);
  } finally {
    await session.close();
  }
}
