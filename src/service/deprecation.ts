import type { ServiceAnswer } from './exchange.ts';

const LONGEST_VALUE = 100;

/** What the headers of an answer say about the end of what was asked (section 9 shows no rule), or undefined. */
export function deprecationIn(headers: ServiceAnswer['headers']): string | undefined {
  const stated = ['deprecation', 'sunset'].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}: ${value.slice(0, LONGEST_VALUE)}`];
  });
  return stated.length === 0 ? undefined : stated.join(', ');
}
