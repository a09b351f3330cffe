import { oneOf, type Random, seededRandom } from '../chance.ts';
import type { Chance } from './exchanges.ts';
import type { AnswerFault, Fault } from './fault.ts';
import type { ProxiedRequest } from './proxied-request.ts';

/**
 * Returns random faults for this proportion of all requests, from 0 to 1. The nth request of each kind meets the same
 * fault in each run with the same seed, in whatever order requests of different kinds arrive.
 */
export function faultsByChance(seed: number, rate: number): Chance {
  const randoms = new Map<string, Random>();
  return (request) => {
    const random = randoms.get(request.kind) ?? seededRandom(seed ^ hash(request.kind));
    randoms.set(request.kind, random);
    return random() < rate ? faultFor(request, random) : undefined;
  };
}

/**
 * Short enough for a client with ordinary deadlines to continue. Faults that end in silence last until the client gives
 * up.
 */
const LONGEST_WAIT_MS = 1_500;

function faultFor(request: ProxiedRequest, random: Random): Fault {
  const refused = (status: number): Fault => ({ kind: 'status', status });
  const wait: Fault = { kind: 'delay', ms: Math.ceil(random() * LONGEST_WAIT_MS) };
  const anywhere: readonly [Fault, ...Fault[]] = [
    { kind: 'reset' },
    { kind: 'reset-unanswered' },
    wait,
    refused(429),
    { kind: 'status', status: 429, retryAfter: '1' },
    refused(500),
    refused(503),
    refused(401),
  ];
  if (request.watch) return oneOf(random, [...anywhere, refused(410), ...watchFaults(random)]);
  const read = request.method === 'GET';
  return oneOf(random, [...anywhere, ...(read ? listFaults() : [])]);
}

function listFaults(): readonly Fault[] {
  return [
    { kind: 'cut-mid-line' },
    { kind: 'truncated-chunk' },
    { kind: 'corrupt' },
    { kind: 'drip', everyMs: 5, bytes: 512 },
  ];
}

/** Returns the faults of a watch after its first few lines. */
export function watchFaults(random: Random): readonly [AnswerFault, ...AnswerFault[]] {
  const moment = { afterLines: Math.floor(random() * 4) };
  return [
    { kind: 'cut', ...moment },
    { kind: 'cut-mid-line', ...moment },
    { kind: 'corrupt', ...moment },
    { kind: 'truncated-chunk', ...moment },
    { kind: 'close', ...moment },
    { kind: 'error-event', code: 410, ...moment },
    { kind: 'error-event', code: 500, ...moment },
    { kind: 'drip', everyMs: 1 },
    { kind: 'pause', ms: Math.ceil(random() * LONGEST_WAIT_MS), ...moment },
    { kind: 'silence', ...moment },
  ];
}

/** Returns the same number for the same text. */
function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return sum;
}
