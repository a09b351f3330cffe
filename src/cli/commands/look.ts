import { withSession } from '../../compose/session/look.ts';
import type { Session } from '../../compose/session/session.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { SessionFlags } from '../flags/options.ts';
import { lookOptions } from '../flags/session-options.ts';
import { standardInputOf } from '../terminal/standard-input.ts';
import { tellProblems } from './status.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Looks once at what flags name. Where manifests have errors, prints them and looks at nothing, since what they
 * hide could make the answer wrong: then it answers undefined.
 */
export async function lookOnce<T extends object>(
  flags: SessionFlags & { readonly filename?: readonly string[] },
  terminal: Terminal,
  look: (session: Session, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const readStdin = await standardInputOf(flags.filename ?? [], terminal);
  const signal = terminal.untilStopped();
  return withSession(
    lookOptions(flags, terminal.environment),
    { ...terminal, readStdin },
    signal,
    async (session) => (tellProblems(session, terminal) === EXIT.ok ? look(session, signal) : undefined),
  );
}
