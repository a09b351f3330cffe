import { signal } from '@preact/signals';
import type { SessionAnswer } from '../../../views/screens/console-messages.ts';
import { ask, carry, Refusal } from './ask.ts';
import { go } from './route.ts';

/** Whether the console talks to this page. */
export type Session = 'opening' | 'open' | 'none';

/** The session of this page. */
export const session = signal<Session>('opening');

const TOKEN = /^#token=([\w-]+)/u;

/** Begins a session with the token in the address, which works once, or goes on with the one that the cookie names. */
export async function openSession(): Promise<void> {
  const [, token] = TOKEN.exec(location.hash) ?? [];
  // The token is used up, and must not stay in the address for others to see.
  if (token !== undefined) go('', {}, { replace: true });
  try {
    const { csrf } = await ask<SessionAnswer>('/api/session', ...(token === undefined ? [] : [{ token }]));
    carry(csrf);
    session.value = 'open';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    session.value = 'none';
  }
}
