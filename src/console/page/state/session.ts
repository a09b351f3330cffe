import { signal } from '@preact/signals';
import type { SessionAnswer } from '../../../views/screens/console-messages.ts';
import { ask, type Asking, carry, Refusal } from './ask.ts';
import { go } from './route.ts';

/** Says whether this page has a session with the console. */
export type Session = 'opening' | 'open' | 'none';

/** The session of this page. */
export const session = signal<Session>('opening');

const TOKEN = /^#token=([\w-]+)/u;

// The address of a console that was started again, put into a page that is open, loads nothing by itself.
addEventListener('hashchange', () => {
  if (TOKEN.test(location.hash)) location.reload();
});

/** Begins a session with the token in the address, which works once, or continues the session of the cookie. */
export async function openSession(): Promise<void> {
  const [, token] = TOKEN.exec(location.hash) ?? [];
  // The token is used up, and must not stay in the address for others to see.
  if (token !== undefined) go('', {}, { replace: true });
  // Of an address that is opened twice in one browser the token is used up, and the cookie is there.
  const opened = (token !== undefined && (await isOpened({ body: { token } }))) || (await isOpened());
  session.value = opened ? 'open' : 'none';
}

async function isOpened(how: Asking = {}): Promise<boolean> {
  try {
    const { csrf } = await ask<SessionAnswer>('/api/session', how);
    carry(csrf);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return false;
  }
}
