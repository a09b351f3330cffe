import type { JsonObject } from '../../base/json.ts';

/** The verbs of the API server that this program uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Query parameters; an undefined one is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The options of a request. */
export interface RequestOptions {
  readonly query?: Query;
  /** The body, sent as JSON. */
  readonly body?: JsonObject;
  /** Defaults to application/json; a patch names its own type. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** The limit for the whole exchange, including the answer and waits for Retry-After. Default: 30 s. */
  readonly timeoutMs?: number;
  /**
   * Makes `json` from the text of an answer. If it throws, the exchange fails with that error. Default: `JSON.parse` of
   * the whole text.
   */
  readonly read?: (text: string) => unknown;
  /** The greatest length of an answer, in bytes; a longer one throws an AnswerTooLongError. Absent: no limit. */
  readonly mostBytes?: number;
}

/** Reports an answer that the client gave up because it was longer than the limit. */
export class AnswerTooLongError extends Error {
  constructor(mostBytes: number) {
    super(`the answer has more than ${mostBytes} bytes`);
    this.name = 'AnswerTooLongError';
  }
}

/** An answer with a 2xx status; `json` is undefined if the body was empty. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: unknown;
}

/** HTTP to one API server: pooled connections, deadlines, fresh credentials and normalized errors. */
export interface Transport {
  /**
   * Makes one exchange. Throws an ApiError for any status except 2xx. After a 429 it waits and tries again, within its
   * deadline.
   */
  request(method: Method, path: string, options?: RequestOptions): Promise<ApiResponse>;
  /**
   * Returns the events of a watch as they arrive, until the server ends it or `signal` aborts. Throws an ApiError or
   * a CorruptLineError. Has no deadline once the answer has begun.
   */
  watch(path: string, query: Query, signal: AbortSignal, accept?: string): AsyncIterable<JsonObject>;
  /** Ends every connection; exchanges under way fail. */
  close(): Promise<void>;
}
