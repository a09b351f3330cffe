import type { Operation } from '../api/exchange.ts';
import type { Action } from './act.ts';

/** Requests for which a fault or an action waits; an omitted part matches everything. */
export interface RequestMatch {
  readonly operation?: Operation;
  readonly method?: string;
  /** The whole path; `*` matches any text. */
  readonly path?: string;
  /** An id or name of a deployment that the path must name, the body of a creation, or the filter of a list. */
  readonly deployment?: string;
  /** The status of the answer, for actions after it. */
  readonly status?: number;
  /** The first affected request, counted among the matching ones, from 1. */
  readonly nth?: number;
}

/** Something that goes wrong with a request. */
export type Fault =
  /** Waits before the request is dealt with. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Never answers, and does not deal with the request. */
  | { readonly kind: 'hang' }
  /** Cuts the connection; the request has no effect. */
  | { readonly kind: 'reset-before' }
  /** Deals with the request, cuts the connection in the middle of the answer. */
  | { readonly kind: 'reset-mid-body' }
  /** Deals with the request, ends the answer early as if it were whole. */
  | { readonly kind: 'truncate' }
  /** Answers 200 with a login page; the request has no effect. */
  | { readonly kind: 'wrong-type' }
  /** Answers with this status; the request has no effect. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Deals with the request, adds headers to the answer. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** Deals with the request, then says that it failed. */
  | { readonly kind: 'apply-then-fail'; readonly how: FailureForm }
  /** Answers that the request failed, and applies it so much later. */
  | { readonly kind: 'fail-then-apply-late'; readonly how: FailureForm; readonly afterMs: number };

/** The form of a failure: a status, a cut connection or silence. */
export type FailureForm = number | 'reset' | 'hang';

/** A fault, its requests, and the number of requests that it affects. */
export interface PlannedFault {
  readonly match: RequestMatch;
  readonly fault: Fault;
  /** The number of affected requests in a row. Default: 1; 0 means all. */
  readonly times?: number;
}

/** A request as a match sees it. */
export interface MatchedRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** Ids and names of the deployments that it names. */
  readonly deployment: readonly string[];
  /** Absent before it is answered. */
  readonly status?: number;
}

/** True when a request is one that a match waits for, its turn aside. */
function matchesRequest(match: RequestMatch, request: MatchedRequest): boolean {
  return (
    (match.operation === undefined || match.operation === request.operation) &&
    (match.method === undefined || match.method.toUpperCase() === request.method) &&
    (match.path === undefined || wildcard(match.path).test(request.path)) &&
    (match.deployment === undefined || request.deployment.includes(match.deployment)) &&
    (match.status === undefined || match.status === request.status)
  );
}

/** Items that wait for requests: each affects so many requests, from its nth match on. */
export class RequestQueue<T extends { readonly match: RequestMatch; readonly times?: number }> {
  readonly #waiting: { readonly item: T; seen: number; done: number }[] = [];

  /** Adds an item after the existing ones. */
  add(item: T): void {
    this.#waiting.push({ item, seen: 0, done: 0 });
  }

  /** Items of a kind that this request is the turn of, in the order of adding; used up ones leave the queue. */
  due(request: MatchedRequest, isMeant: (item: T) => boolean = () => true): readonly T[] {
    const due: T[] = [];
    for (const entry of [...this.#waiting]) {
      if (!isMeant(entry.item) || !matchesRequest(entry.item.match, request)) continue;
      entry.seen += 1;
      if (entry.seen < (entry.item.match.nth ?? 1)) continue;
      entry.done += 1;
      due.push(entry.item);
      if (entry.done === (entry.item.times ?? 1)) this.#waiting.splice(this.#waiting.indexOf(entry), 1);
    }
    return due;
  }

  /** Items that still wait. */
  get pending(): readonly T[] {
    return this.#waiting.map(({ item }) => item);
  }

  /** Drops everything that waits. */
  clear(): void {
    this.#waiting.length = 0;
  }
}

function wildcard(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** An action that waits for a request. */
export interface PlannedAction {
  readonly match: RequestMatch;
  readonly action: Action;
  /** Right before the request is handled, which is the default, or right after it was answered. */
  readonly when?: 'before' | 'after';
  /** So much later than that. */
  readonly delaySeconds?: number;
  /** The number of requests in a row. Default: 1; 0 means all. */
  readonly times?: number;
}

/** True for an action that comes at this side of a request. */
export function comes(side: 'before' | 'after'): (planned: PlannedAction) => boolean {
  return ({ when = 'before' }) => when === side;
}
