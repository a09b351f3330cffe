import type { JsonObject } from '../../base/json.ts';

/** Verbs of the API server that are used. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Query parameters; an undefined one is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The options of a request. */
export interface RequestOptions {
  readonly query?: Query;
  /** The body, sent as JSON. */
  readonly body?: JsonObject;
  /** Defaults to application/json; a patch names its kind. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** The limit for the whole exchange, including the answer and waits for Retry-After. Default 30 s. */
  readonly timeoutMs?: number;
  /**
   * Makes `json` from the text of an answer. An error that it throws ends the exchange. Default: `JSON.parse` of the
   * whole text.
   */
  readonly read?: (text: string) => unknown;
  /** Bytes of an answer after which an AnswerTooLongError is thrown. Absent: as many as come. */
  readonly mostBytes?: number;
}

/** An answer that was given up because it was longer than asked for. */
export class AnswerTooLongError extends Error {
  constructor(mostBytes: number) {
    super(`the answer has more than ${mostBytes} bytes`);
    this.name = 'AnswerTooLongError';
  }
}

/** An answer with a 2xx status; `json` is undefined where the body was empty. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: unknown;
}

/** HTTP to one API server: pooled connections, deadlines, credentials that stay fresh, normalised errors. */
export interface Transport {
  /** One exchange; throws an ApiError for everything that is not 2xx. Waits out a 429 inside its deadline. */
  request(method: Method, path: string, options?: RequestOptions): Promise<ApiResponse>;
  /**
   * Returns the events of a watch as they arrive, until the server ends it or `signal` aborts. Throws an ApiError or
   * a CorruptLineError. Has no deadline once the answer has begun.
   */
  watch(path: string, query: Query, signal: AbortSignal, accept?: string): AsyncIterable<JsonObject>;
  /** Ends every connection; exchanges under way fail. */
  close(): Promise<void>;
}
