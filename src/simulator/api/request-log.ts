import { defined } from '../../base/defined.ts';
import type { WireJson } from '../../wire/wire-json.ts';
import type { Content } from '../state/deployment-state.ts';
import type { Delivery, Operation } from './exchange.ts';
import type { RequestProblem } from './request-check.ts';

/**
 * One request as the service received it. The log is on the service's side, so bodies stay unchanged, including
 * secrets.
 */
export interface LoggedRequest {
  /** The number of the request; it starts at 1 and only grows. */
  readonly number: number;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The id in the path, if it contains one. */
  readonly id: string;
  readonly body: WireJson | undefined;
  readonly userAgent: string | undefined;
  readonly requestID: string | undefined;
  readonly beganMs: number;
  /**
   * The time at which the service carried the request out. A fault may delay or prevent this; the service carries it
   * out even if the client is gone.
   */
  readonly dealtMs?: number;
  /** The content of the deployment in the path right before that. */
  readonly found?: Content;
  /** The time of the answer; absent until then. */
  readonly endedMs?: number;
  readonly status?: number;
  readonly delivery?: Delivery;
  /** Names of the faults that affected the request. */
  readonly faults: readonly string[];
}

/** A rule of the interface that a request broke. */
export interface ProtocolViolation extends RequestProblem {
  /** The number of the request. */
  readonly request: number;
}

/** A request before its answer. */
export type ArrivedRequest = Omit<
  LoggedRequest,
  'number' | 'dealtMs' | 'found' | 'endedMs' | 'status' | 'delivery' | 'faults'
>;

/** The number of connections: since the start, now, and the most at the same time. */
export interface ConnectionCounts {
  readonly opened: number;
  readonly open: number;
  readonly most: number;
}

const KEPT_REQUESTS = 10_000;

/** Records the requests to the service, and how many writes to one deployment ran at the same time. */
export class RequestLog {
  readonly #requests: LoggedRequest[] = [];
  readonly #violations: ProtocolViolation[] = [];
  readonly #counts = new Map<Operation, number>();
  readonly #inFlight = new Map<string, number>();
  readonly #maxInFlight = new Map<string, number>();
  #connections: ConnectionCounts = { opened: 0, open: 0, most: 0 };
  #last = 0;

  /** Records a request that arrived, and returns its number. */
  begin(arrived: ArrivedRequest): number {
    this.#last += 1;
    this.#requests.push({ ...arrived, number: this.#last, faults: [] });
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift();
    this.#counts.set(arrived.operation, (this.#counts.get(arrived.operation) ?? 0) + 1);
    if (isWrite(arrived)) this.#enter(arrived.id);
    return this.#last;
  }

  /** Records that the service now carries a request out, and the content that it finds. */
  dealt(number: number, dealtMs: number, found: Content | undefined): void {
    this.#change(number, { dealtMs, ...defined({ found }) });
  }

  /** Records the answer to a request. */
  end(
    number: number,
    how: Required<Pick<LoggedRequest, 'endedMs' | 'status' | 'delivery' | 'faults'>>,
  ): void {
    const request = this.#change(number, how);
    if (request !== undefined && isWrite(request))
      this.#inFlight.set(request.id, (this.#inFlight.get(request.id) ?? 1) - 1);
  }

  /** Records the problems of a request; leaves out those that only the current switches see. */
  note(number: number, problems: readonly RequestProblem[]): void {
    for (const found of problems) if (found.violation) this.#violations.push({ ...found, request: number });
  }

  /** Returns the requests with a number above `number`, oldest first; the log keeps at most the last 10,000. */
  since(number: number): readonly LoggedRequest[] {
    return this.#requests.filter((request) => request.number > number);
  }

  /** Returns all requests in the log, oldest first; only those of `operation` if it is given. */
  requests(operation?: Operation): readonly LoggedRequest[] {
    return this.#requests.filter((request) => operation === undefined || request.operation === operation);
  }

  /** Counts the requests of an operation, without cleared ones. */
  count(operation: Operation): number {
    return this.#counts.get(operation) ?? 0;
  }

  /** Counts the requests of each operation. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Returns the largest number of writes to one deployment at the same time; without `id`, to any deployment. */
  maxInFlight(id?: string): number {
    if (id !== undefined) return this.#maxInFlight.get(id) ?? 0;
    return Math.max(0, ...this.#maxInFlight.values());
  }

  /** Records a connection that carries requests to the service. The returned function records its end. */
  connected(): () => void {
    const { most, open, opened } = this.#connections;
    this.#connections = { opened: opened + 1, open: open + 1, most: Math.max(most, open + 1) };
    return () => {
      this.#connections = { ...this.#connections, open: this.#connections.open - 1 };
    };
  }

  /** The connections that carried requests; there are none if the caller uses no network. */
  get connections(): ConnectionCounts {
    return this.#connections;
  }

  /** The violations of the interface by requests. */
  get violations(): readonly ProtocolViolation[] {
    return this.#violations;
  }

  /** Forgets everything except the numbering and the connections. */
  clear(): void {
    this.#requests.length = 0;
    this.#violations.length = 0;
    this.#counts.clear();
    this.#maxInFlight.clear();
  }

  #change(number: number, change: Partial<LoggedRequest>): LoggedRequest | undefined {
    const at = this.#requests.findLastIndex((request) => request.number === number);
    const request = this.#requests[at];
    if (request !== undefined) this.#requests[at] = { ...request, ...change };
    return request;
  }

  #enter(id: string): void {
    const now = (this.#inFlight.get(id) ?? 0) + 1;
    this.#inFlight.set(id, now);
    this.#maxInFlight.set(id, Math.max(now, this.#maxInFlight.get(id) ?? 0));
  }
}

function isWrite({ operation }: ArrivedRequest): boolean {
  return operation === 'patch' || operation === 'delete';
}
