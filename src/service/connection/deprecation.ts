import type { ServiceAnswer } from '../http/exchange.ts';

/**
 * The notices of answers about the end of an endpoint: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) headers,
 * reported once (N80). Only their dates are repeated, since a header may hold anything.
 */
export class DeprecationNotice {
  #text: string | undefined;
  #told = false;

  /** Looks at the headers of an answer. */
  look(headers: ServiceAnswer['headers']): void {
    if (this.#text !== undefined) return;
    const stated = ['deprecation', 'sunset'].flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [`${name}: ${dateOf(value.trim()) ?? 'without a date'}`];
    });
    if (stated.length > 0) this.#text = stated.join(', ');
  }

  /** Returns a new notice, to the first caller after it was seen. */
  take(): string | undefined {
    if (this.#text === undefined || this.#told) return undefined;
    this.#told = true;
    return this.#text;
  }
}

const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const SECONDS = /^@\d{1,11}$/;

/** The day that a header names, such as 2027-01-01. */
function dateOf(value: string): string | undefined {
  const ms = SECONDS.test(value)
    ? Number(value.slice(1)) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value)
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 10);
}
