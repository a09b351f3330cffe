import { isDeepStrictEqual } from 'node:util';
import type { LoggedRequest } from '../../../../src/simulator/api/request-log.ts';
import { isWireObject } from '../../../../src/simulator/values/wire-values.ts';
import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { Actors } from '../actors.ts';
import type { Announcement } from './announcement-log.ts';
import type { Repeat } from './repeats.ts';

/** The facts about a run by which repetitions are judged. */
export interface Facts {
  readonly masked: boolean;
  readonly requests: readonly LoggedRequest[];
  /** Every announcement in a status. */
  readonly announcements: readonly Announcement[];
  /** The times at which another process began to work: after a kill, or with the Lease. */
  readonly takeOversMs: readonly number[];
  readonly acts: Actors['done'];
  /** Name of the resource that a deployment belongs to. */
  readonly nameOf: (id: string) => string | undefined;
}

/**
 * A repetition that the operator cannot avoid, because it cannot prove the first request. All concern secrets that are
 * never shown.
 */
interface Excuse {
  readonly name: string;
  readonly reason: string;
  readonly applies: (repeat: Repeat, facts: Facts) => boolean;
}

/** The time for which the operator may not know of an edit. */
const UNSEEN_MS = 5_000;

const EXCUSES: readonly Excuse[] = [
  {
    name: 'another edit before the first sending could be verified',
    reason:
      'an announcement holds one digest of everything that was sent, so with another value desired nothing of it can be told apart; what cannot be proven is sent once more (3.3)',
    applies: ({ request }, facts) => {
      const first = sentBefore(request, facts.requests);
      if (first === undefined || !isUnrecorded(first, request, facts)) return false;
      const name = facts.nameOf(request.id);
      return facts.acts.some(
        ({ act, atMs, name: of }) =>
          of === name && act !== 'annotate' && atMs >= first.beganMs - UNSEEN_MS && atMs <= request.beganMs,
      );
    },
  },
  {
    name: 'a creation without an answer',
    reason:
      'that the deployment is there proves the creation, but the announcement of a creation says nothing of values, and the Secret may have rotated since',
    applies: ({ request }, facts) => {
      const first = sentBefore(request, facts.requests);
      return first?.operation === 'create' && isUnrecorded(first, request, facts);
    },
  },
  {
    name: 'a resource that was applied anew',
    reason: 'what an earlier resource sent is remembered nowhere, and secrets that never show are sent once',
    applies: ({ request }, { acts, requests, nameOf }) => {
      const first = sentBefore(request, requests);
      const name = nameOf(request.id);
      return acts.some(
        ({ act, atMs, name: of }) =>
          of === name && act === 'create' && atMs > (first?.beganMs ?? 0) && atMs <= request.beganMs,
      );
    },
  },
];

/** Returns the reason why a repetition could not be avoided, if there is one. */
export function excuseFor(repeat: Repeat, facts: Facts): string | undefined {
  if (!facts.masked || repeat.part !== 'secrets') return undefined;
  return EXCUSES.find(({ applies }) => applies(repeat, facts))?.name;
}

/** Describes the excuses for readers of the result. */
export function excuses(): readonly string[] {
  return EXCUSES.map(({ name, reason }) => `${name}: ${reason}`);
}

/** Describes a repetition and what happened since the first request. */
export function repeatText({ part, request }: Repeat, facts: Facts): string {
  const { acts, nameOf, requests, takeOversMs } = facts;
  const name = nameOf(request.id);
  const first = sentBefore(request, requests);
  const sinceMs = first?.beganMs ?? request.beganMs - UNSEEN_MS;
  const between = [
    ...takeOversMs.map((atMs) => ({ atMs, what: 'another process' })),
    ...acts.filter((act) => act.name === name).map(({ act, atMs }) => ({ atMs, what: act })),
    ...requests
      .filter(({ id, operation }) => id === request.id && operation !== 'list')
      .map(({ beganMs, body, delivery, number, operation }) => ({
        atMs: beganMs,
        what: `${operation} ${number} (${[delivery, ...blocksOf(body)].join(', ')})`,
      })),
  ]
    .filter(({ atMs }) => atMs >= sinceMs - UNSEEN_MS && atMs <= request.beganMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, what }) => `${what} at ${((atMs - request.beganMs) / 1000).toFixed(1)} s`);
  const before =
    first === undefined ? 'nothing like it was sent' : `first was ${first.operation} ${first.number}`;
  return `PATCH ${request.number} to ${name ?? request.id} repeats ${part}; ${before}; ${between.join(', ')}`;
}

/** Returns the last request before this one that sent secrets to the deployment. */
function sentBefore(request: LoggedRequest, requests: readonly LoggedRequest[]): LoggedRequest | undefined {
  return requests.findLast(
    (other) =>
      other.number < request.number &&
      other.dealtMs !== undefined &&
      (other.id === request.id || other.operation === 'create') &&
      isDeepStrictEqual(secretsOf(other), secretsOf(request)),
  );
}

/**
 * True if the announcement of the first request still existed when another process took over, so no process had
 * recorded its outcome.
 */
function isUnrecorded(
  first: LoggedRequest,
  again: LoggedRequest,
  { announcements, nameOf, takeOversMs }: Facts,
): boolean {
  const name = nameOf(again.id);
  const own = announcements.findLast(
    (one) =>
      one.name === name && one.operation.toLowerCase() === first.operation && one.fromMs <= first.beganMs,
  );
  if (own === undefined) return false;
  const { goneMs = Infinity } = own;
  return takeOversMs.some((atMs) => atMs >= first.beganMs && atMs <= again.beganMs && atMs < goneMs);
}

/** Returns the blocks of a body, without values. */
function blocksOf(body: WireJson | undefined): readonly string[] {
  return isWireObject(body) ? Object.keys(body) : [];
}

function secretsOf({ body }: LoggedRequest): unknown {
  return isWireObject(body) ? body['secrets'] : undefined;
}
