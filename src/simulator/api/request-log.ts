import { defined } from '../../base/defined.ts';
import type { WireJson } from '../../wire/wire-json.ts';
import type { Content } from '../state/deployment-state.ts';
import type { Delivery, Operation } from './exchange.ts';
import type { RequestProblem } from './request-check.ts';

/** One request as the service saw it. Bodies are kept as they came, secrets included: this is the service's side. */
export interface LoggedRequest {
  /** Counts from 1 and never goes back. */
  readonly number: number;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The id in the path, where it has one. */
  readonly id: string;
  readonly body: WireJson | undefined;
  readonly userAgent: string | undefined;
  readonly requestID: string | undefined;
  readonly beganMs: number;
  /**
   * The time at which the service carried the request out, which a fault may delay or prevent; it does so even if the
   * client is gone.
   */
  readonly dealtMs?: number;
  /** The state of the deployment in the path right before that. */
  readonly found?: Content;
  /** Absent until it is answered. */
  readonly endedMs?: number;
  readonly status?: number;
  readonly delivery?: Delivery;
  /** Names of the faults that met it. */
  readonly faults: readonly string[];
}

/** A rule of the interface that a request broke. */
export interface ProtocolViolation extends RequestProblem {
  /** The number of the request. */
  readonly request: number;
}

/** A request before it was answered. */
export type ArrivedRequest = Omit<
  LoggedRequest,
  'number' | 'dealtMs' | 'found' | 'endedMs' | 'status' | 'delivery' | 'faults'
>;

/** The number of connections in all, now, and at the same time at most. */
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

  /** Notes a request that came in, and answers its number. */
  begin(arrived: ArrivedRequest): number {
    this.#last += 1;
    this.#requests.push({ ...arrived, number: this.#last, faults: [] });
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift();
    this.#counts.set(arrived.operation, (this.#counts.get(arrived.operation) ?? 0) + 1);
    if (isWrite(arrived)) this.#enter(arrived.id);
    return this.#last;
  }

  /** Records that the service carries a request out now, and the content that it finds. */
  dealt(number: number, dealtMs: number, found: Content | undefined): void {
    this.#change(number, { dealtMs, ...defined({ found }) });
  }

  /** Notes how a request was answered. */
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

  /** Requests with a number above `number`, oldest first; at most the last 10,000 are kept. */
  since(number: number): readonly LoggedRequest[] {
    return this.#requests.filter((request) => request.number > number);
  }

  /** Every request that is kept, oldest first; of one operation where it is given. */
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

  /**
   * Returns how many writes to one deployment were under way at the same time at most; to any deployment without
   * `id`.
   */
  maxInFlight(id?: string): number {
    if (id !== undefined) return this.#maxInFlight.get(id) ?? 0;
    return Math.max(0, ...this.#maxInFlight.values());
  }

  /** Notes a connection over which the service is asked; the answer notes its end. */
  connected(): () => void {
    const { most, open, opened } = this.#connections;
    this.#connections = { opened: opened + 1, open: open + 1, most: Math.max(most, open + 1) };
    return () => {
      this.#connections = { ...this.#connections, open: this.#connections.open - 1 };
    };
  }

  /** Connections over which the service was asked; none where it is asked without a network. */
  get connections(): ConnectionCounts {
    return this.#connections;
  }

  /** Rules of the interface that requests broke. */
  get violations(): readonly ProtocolViolation[] {
    return this.#violations;
  }

  /** Forgets everything but the numbering and the connections. */
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
