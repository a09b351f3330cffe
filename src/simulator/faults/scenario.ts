import type { Operation } from '../api/exchange.ts';
import type { Action } from './act.ts';

/** The requests for which a fault or an action waits; an omitted part matches every request. */
export interface RequestMatch {
  readonly operation?: Operation;
  readonly method?: string;
  /** The whole path; `*` matches any text. */
  readonly path?: string;
  /** The id or name of a deployment. The path, the body of a creation, or the filter of a list must name it. */
  readonly deployment?: string;
  /** The status of the answer, for actions that follow it. */
  readonly status?: number;
  /** The first affected request, counted among the matching ones, from 1. */
  readonly nth?: number;
}

/** A fault that affects a request. */
export type Fault =
  /** Waits before the service handles the request. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Never answers; the request has no effect. */
  | { readonly kind: 'hang' }
  /** Cuts the connection; the request has no effect. */
  | { readonly kind: 'reset-before' }
  /** Carries the request out, then cuts the connection in the middle of the answer. */
  | { readonly kind: 'reset-mid-body' }
  /** Carries the request out, then ends the answer early as if it were complete. */
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
  /** Carries the request out, and adds headers to the answer. */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** Carries the request out, then answers that it failed. */
  | { readonly kind: 'apply-then-fail'; readonly how: FailureForm }
  /** Answers that the request failed, and carries it out `afterMs` later. */
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

/** The parts of a request that a match compares. */
export interface MatchedRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** The ids and names of the deployments that the request names. */
  readonly deployment: readonly string[];
  /** The status of the answer; absent before it. */
  readonly status?: number;
}

/** True if a match fits a request, without regard to `nth`. */
function matchesRequest(match: RequestMatch, request: MatchedRequest): boolean {
  return (
    (match.operation === undefined || match.operation === request.operation) &&
    (match.method === undefined || match.method.toUpperCase() === request.method) &&
    (match.path === undefined || wildcard(match.path).test(request.path)) &&
    (match.deployment === undefined || request.deployment.includes(match.deployment)) &&
    (match.status === undefined || match.status === request.status)
  );
}

/** Items that wait for requests. Each affects `times` requests, from the nth match on. */
export class RequestQueue<T extends { readonly match: RequestMatch; readonly times?: number }> {
  readonly #waiting: { readonly item: T; seen: number; done: number }[] = [];

  /** Adds an item after the existing ones. */
  add(item: T): void {
    this.#waiting.push({ item, seen: 0, done: 0 });
  }

  /**
   * Returns the items of a kind that affect this request now, in the order in which they were added. Used-up items
   * leave the queue.
   */
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

  /** The items that still wait. */
  get pending(): readonly T[] {
    return this.#waiting.map(({ item }) => item);
  }

  /** Drops all waiting items. */
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
  /** The moment: right before the service handles the request, which is the default, or right after its answer. */
  readonly when?: 'before' | 'after';
  /** The delay after that moment. */
  readonly delaySeconds?: number;
  /** The number of requests in a row. Default: 1; 0 means all. */
  readonly times?: number;
}

/** Returns a test for actions that happen at this side of a request. */
export function comes(side: 'before' | 'after'): (planned: PlannedAction) => boolean {
  return ({ when = 'before' }) => when === side;
}
