import type { ProxiedRequest } from './proxied-request.ts';

/** The fate of a request that is not forwarded and answered. */
export type RequestFault =
  /** The connection is reset, and the API server does not receive the request. */
  | { readonly kind: 'reset' }
  /** The API server handles the request, and a reset replaces its answer. */
  | { readonly kind: 'reset-unanswered' }
  /** Half-open upwards: the request disappears, and is never answered. */
  | { readonly kind: 'swallow' }
  /** The request waits for this time before it is forwarded. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The proxy answers with this status; the request has no effect. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string };

/** After this number of lines of the answer, and this time after its start; default at once. */
interface Moment {
  readonly afterLines?: number;
  readonly afterMs?: number;
}

/** The fate of a running answer, mostly of a watch. */
export type AnswerFault = Moment &
  (
    | { readonly kind: 'cut' }
    /** Half of the next piece arrives, and then a reset. */
    | { readonly kind: 'cut-mid-line' }
    /** Half-open downwards: from here on nothing arrives, and the connection stays open. */
    | { readonly kind: 'silence' }
    /** All bytes wait for this time, and then arrive. */
    | { readonly kind: 'pause'; readonly ms: number }
    /** A byte of the next line is replaced by one that JSON forbids. The framing stays valid. */
    | { readonly kind: 'corrupt' }
    /** A line of type ERROR with this code, and the end of the watch. */
    | { readonly kind: 'error-event'; readonly code: number }
    /** This number of bytes at a time, default one, with this pause after each. */
    | { readonly kind: 'drip'; readonly everyMs: number; readonly bytes?: number }
    /** A chunk that is shorter than announced, and then the end of the connection. */
    | { readonly kind: 'truncated-chunk' }
    /** A regular end, as the API server ends a watch after its time. */
    | { readonly kind: 'close' }
  );

/** The fate of a connection before TLS begins. */
export type ConnectionFault =
  | { readonly kind: 'connection-reset' }
  /** The connection is accepted, and then every byte is dropped in both directions. */
  | { readonly kind: 'connection-silence' };

/** Everything that can be planned for a request. */
export type Fault = RequestFault | AnswerFault;

/** The affected requests; an omitted part matches everything. */
export interface FaultMatch {
  readonly method?: string;
  /** A part of path and query. */
  readonly contains?: string;
  readonly watch?: boolean;
  /** Plural and subresource: `deployments`, `deployments/status`. */
  readonly resource?: string;
  /** The number of the connection that carries the request. */
  readonly connection?: number;
}

/** A fault, its requests, and the number of requests that it affects. */
export interface PlannedFault {
  readonly match: FaultMatch;
  readonly fault: Fault;
  /** The number of affected requests in a row; default 1, Infinity for all. */
  readonly times?: number;
}

/** True if a fault is planned for the request. */
export function isMeant(match: FaultMatch, request: ProxiedRequest): boolean {
  return (
    (match.method === undefined || match.method === request.method) &&
    (match.contains === undefined || request.url.includes(match.contains)) &&
    (match.watch === undefined || match.watch === request.watch) &&
    (match.resource === undefined || match.resource === request.resource) &&
    (match.connection === undefined || match.connection === request.connection)
  );
}

const REQUEST_FAULTS: ReadonlySet<Fault['kind']> = new Set<RequestFault['kind']>([
  'reset',
  'reset-unanswered',
  'swallow',
  'delay',
  'status',
]);

/** True if a fault affects the request, and false if it affects the answer. */
export function isRequestFault(fault: Fault): fault is RequestFault {
  return REQUEST_FAULTS.has(fault.kind);
}
