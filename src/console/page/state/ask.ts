import type { ErrorAnswer } from '../../../views/screens/console-messages.ts';

/** An error: the console refused a request, or did not answer. */
export class Refusal extends Error {
  /** The HTTP status; zero without an answer. */
  readonly status: number;
  readonly answer: ErrorAnswer;

  constructor(status: number, answer: ErrorAnswer) {
    super(answer.error);
    this.status = status;
    this.answer = answer;
  }
}

const GONE = 'The console does not answer. It may have ended: start it again with "dms-operator console".';

let csrf = '';

/** Sets the token of the session, which every request that is not just a read carries. */
export function carry(word: string): void {
  csrf = word;
}

/** Options of a request: a body makes it a POST; the signal ends the wait for the answer. */
export interface Asking {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Reads something from the console, or sends a body to it. Throws a Refusal. */
export async function ask<T>(path: string, how: Asking = {}): Promise<T> {
  const answer = await answerOf(path, how);
  const read: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && read !== undefined) return read as T;
  throw new Refusal(answer.status, isError(read) ? read : { error: `${answer.status} ${answer.statusText}` });
}

async function answerOf(path: string, { body, ...until }: Asking): Promise<Response> {
  try {
    if (body === undefined) return await fetch(path, until);
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return await fetch(path, { ...sent, ...until });
  } catch {
    throw new Refusal(0, { error: GONE });
  }
}

const isError = (read: unknown): read is ErrorAnswer =>
  typeof read === 'object' && read !== null && 'error' in read;
