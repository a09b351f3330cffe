import type { ServiceAnswer } from './exchange.ts';

const LONGEST_VALUE = 100;

/** What answers say about the end of an endpoint: `Deprecation` and `Sunset` headers, told once (N80). */
export class DeprecationNotice {
  #text: string | undefined;
  #told = false;

  /** Looks at the headers of an answer. */
  look(headers: ServiceAnswer['headers']): void {
    if (this.#text !== undefined) return;
    const stated = ['deprecation', 'sunset'].flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [`${name}: ${value.slice(0, LONGEST_VALUE)}`];
    });
    if (stated.length > 0) this.#text = stated.join(', ');
  }

  /** What was seen, to the first who asks after it was. */
  take(): string | undefined {
    if (this.#text === undefined || this.#told) return undefined;
    this.#told = true;
    return this.#text;
  }
}
