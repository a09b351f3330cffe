import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/**
 * Refuses what a page of somebody else could have a browser send: a name that leads here without being ours (DNS
 * rebinding), and a request that begins on another page. Every POST must say where it begins, which browsers do.
 */
export function checkOrigin({ headers, method }: IncomingMessage, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `[::1]:${port}`, `localhost:${port}`];
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) {
    throw new Refusal(403, `this console answers at ${hosts.join(', ')} and under no other name`);
  }
  const isOurs = origin === `http://${host}`;
  if (origin !== undefined ? !isOurs : method !== 'GET')
    throw new Refusal(403, 'this request does not begin on the page of this console');
  // A browser that says so leaves no doubt; a person who opens the address comes from nowhere.
  const site = headers['sec-fetch-site'];
  const isApi = method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate';
  if (isApi && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Refusal(403, 'this request does not begin on the page of this console');
}
