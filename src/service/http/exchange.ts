import type { SecretValue } from '../../base/secret-value.ts';
import type { Seat } from '../limits/answer-room.ts';

/** The operations of the service, by their names in metrics and logs. */
export type Operation = 'list' | 'patch' | 'create' | 'delete' | 'providers' | 'repositories';

/** One request. Its path begins with a slash and is appended to the base address unchanged. */
export interface ServiceRequest {
  readonly operation: Operation;
  readonly method: 'GET' | 'PATCH' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: URLSearchParams;
  /** The value of the header X-Request-Id; absent: the exchange generates one. */
  readonly requestID?: string | undefined;
  /** The body, as JSON text. */
  readonly body?: string;
  /** Secret values inside the body; the text of an error may repeat them whole or in part. */
  readonly secrets?: readonly SecretValue[];
  /** Other values that the text of an error must not repeat: the service has shown them, or they were sent before. */
  readonly known?: readonly SecretValue[];
}

/** One answer with its body read to the end. Header names are lower case. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one request and reads the whole answer, once. */
export interface Exchange {
  /**
   * Resolves for any status. Throws a ConnectionError whose `sent` says whether bytes may have left. Never retries and
   * never follows a redirect. Reads the answer as its seat has room for it; the deadline does not run during waits for
   * room.
   */
  send(request: ServiceRequest, signal: AbortSignal, seat: Seat): Promise<ServiceAnswer>;
  /** Accepts no more requests, and waits for those under way: a write that is cut off would have an unknown outcome. */
  close(): Promise<void>;
}
