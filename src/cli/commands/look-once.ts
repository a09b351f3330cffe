import { openCommandSession, withSession } from '../../compose/session/command-environment.ts';
import type { Session } from '../../compose/session/session.ts';
import type { SessionFlags } from '../flags/options.ts';
import { lookOptions, namespacesOf } from '../flags/session-options.ts';
import { EXIT, standardInputOf, type Terminal } from '../terminal/terminal.ts';
import { printErrors } from '../terminal/print-errors.ts';

/** A session, and the namespaces to read. */
export interface Looked {
  readonly session: Session;
  /** The namespaces from the flags or the context. Empty: all. */
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Reads the objects that flags name once. If manifests have errors, prints them and returns undefined without reading,
 * since an unreadable part could make the result wrong.
 */
export async function lookOnce<T extends object>(
  flags: SessionFlags & { readonly filename?: readonly string[] },
  terminal: Terminal,
  look: (looked: Looked) => Promise<T>,
): Promise<T | undefined> {
  const readStdin = await standardInputOf(flags.filename ?? [], terminal);
  const signal = terminal.untilStopped();
  const options = lookOptions(flags, terminal.environment);
  return withSession(openCommandSession(options, { ...terminal, readStdin }, signal), async (session) => {
    if (printErrors(session.problems, terminal) !== EXIT.ok) return undefined;
    return look({ session, namespaces: namespacesOf(flags, session), signal });
  });
}
