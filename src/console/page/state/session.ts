import { signal } from '@preact/signals';
import type { SessionAnswer } from '../../../views/screens/console-messages.ts';
import { ask, type Asking, carry, Refusal } from './ask.ts';
import { go } from './route.ts';

/** The state of this page's session with the console. */
export type Session = 'opening' | 'open' | 'none';

/** The session of this page. */
export const session = signal<Session>('opening');

const TOKEN = /^#token=([\w-]+)/u;

// If a person pastes the address of a restarted console into an open page, the browser loads nothing by itself.
addEventListener('hashchange', () => {
  if (TOKEN.test(location.hash)) location.reload();
});

/** Begins a session with the token in the address, which works once, or continues the session of the cookie. */
export async function openSession(): Promise<void> {
  const [, token] = TOKEN.exec(location.hash) ?? [];
  // The token is used up. It must not stay in the address, where others could see it.
  if (token !== undefined) go('', {}, { replace: true });
  // If one browser opens the address twice, the token is already used up, but the cookie exists.
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
