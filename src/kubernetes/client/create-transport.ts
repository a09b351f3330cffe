import type { Dispatcher } from 'undici';
import { defined } from '../../base/defined.ts';
import { FailureError } from '../../model/connection/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { linkAbort } from './link-abort.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { ClusterMetrics } from './cluster-metrics.ts';
import {
  abortedError,
  ApiError,
  errorFromStatus,
  isApiError,
  isTrustFailure,
  networkError,
  retryAfterMs,
} from './api-error.ts';
import {
  AnswerTooLongError,
  type ApiResponse,
  type Method,
  type Query,
  type RequestOptions,
  type Transport,
} from './exchange.ts';
import { CorruptLineError, jsonLines } from '../objects/json-lines.ts';
import type { ClusterConfig, Credentials } from './load-cluster-config.ts';
import { TransportPools } from './transport-pools.ts';

/** The parts of a transport. */
export interface TransportOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly metrics?: ClusterMetrics | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const ATTEMPTS = 6;
/** The shortest wait of a throttled request. A part of it is random, so that many requests do not return together. */
const THROTTLED_WAIT_MS = 1000;
/** The code of an exchange without an answer, as client-go counts it. */
const NO_ANSWER = '<error>';

/** Makes the transport for a cluster; it connects at the first request. */
export function createTransport(config: ClusterConfig, options: TransportOptions): Transport {
  return new UndiciTransport(config, options);
}

/** One request on its way to an answer. */
interface Exchange {
  readonly pool: 'calls' | 'watches';
  readonly method: Method;
  readonly path: string;
  readonly options: RequestOptions;
  readonly signal: AbortSignal;
}

class UndiciTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #options: TransportOptions;
  readonly #origin: string;
  readonly #host: string;
  readonly #prefix: string;
  readonly #pools: TransportPools;

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.#config = config;
    this.#options = options;
    this.#pools = new TransportPools(config.proxyURL);
    const server = new URL(config.server);
    this.#origin = server.origin;
    this.#host = server.host;
    // Paths are joined as text: resolving them against the URL would drop the prefix of a proxying API server.
    this.#prefix = server.pathname.replace(/(?<!\/)\/+$/, '');
  }

  async request(method: Method, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    const { clock } = this.#options;
    const timeoutMs = this.#timeoutMs(options.timeoutMs);
    const endsMs = clock.now() + timeoutMs;
    const link = linkAbort(options.signal);
    const cancel = clock.after(timeoutMs, () => link.abort(timeoutError(`${method} ${path}`, timeoutMs)));
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#exchange({ pool: 'calls', method, path, options, signal: link.signal });
        } catch (error) {
          if (!isApiError(error, 'throttled') || attempt === ATTEMPTS) throw error;
          const asked = Math.max(error.retryAfterMs ?? 0, THROTTLED_WAIT_MS);
          const waitMs = asked + Math.round((clock.random() * THROTTLED_WAIT_MS) / 4);
          if (clock.now() + waitMs >= endsMs) throw error;
          await clock.sleep(waitMs, link.signal);
        }
      }
    } catch (error) {
      if (options.signal?.aborted === true) throw abortedError(`${method} ${path}`, options.signal.reason);
      throw link.signal.aborted ? link.signal.reason : error;
    } finally {
      cancel();
      link.unlink();
    }
  }

  async *watch(path: string, query: Query, signal: AbortSignal, accept?: string): AsyncGenerator<JsonObject> {
    const what = `WATCH ${path}`;
    const link = linkAbort(signal);
    const timeoutMs = this.#timeoutMs();
    const cancel = this.#options.clock.after(timeoutMs, () => link.abort(timeoutError(what, timeoutMs)));
    try {
      const options = { query: { ...query, watch: true }, ...defined({ accept }) };
      const { signal: ending } = link;
      const answer = await this.#answer({ pool: 'watches', method: 'GET', path, options, signal: ending });
      cancel();
      // If a caller leaves this loop early, the body ends, and with it the connection.
      yield* jsonLines(answer.body);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (link.signal.aborted) throw link.signal.reason;
      throw isApiError(error) || error instanceof CorruptLineError ? error : networkError(what, error);
    } finally {
      cancel();
      link.unlink();
    }
  }

  #timeoutMs(asked = DEFAULT_TIMEOUT_MS): number {
    return this.#config.requestTimeoutMs ?? asked;
  }

  async close(): Promise<void> {
    await this.#pools.close();
  }

  async #exchange(exchange: Exchange): Promise<ApiResponse> {
    const answer = await this.#answer(exchange);
    const { method, path, options } = exchange;
    const { mostBytes, read } = options;
    try {
      const text = await textOf(answer.body, mostBytes);
      const json = text === '' ? undefined : parsed(text, read);
      return { status: answer.statusCode, headers: answer.headers, json };
    } catch (error) {
      if (error instanceof FailureError || error instanceof AnswerTooLongError) throw error;
      throw networkError(`${method} ${path}`, error);
    }
  }

  /**
   * Returns the answer once its status is 2xx. Reads the credentials again, once, if they are refused or if no
   * authority vouches for the server: both may have been rotated.
   */
  async #answer(exchange: Exchange): Promise<Dispatcher.ResponseData> {
    const { signal } = exchange;
    let credentials = await untilAborted(this.#config.credentials(), signal);
    try {
      return await this.#send(exchange, credentials);
    } catch (error) {
      if (!isApiError(error, 'unauthorized') && !isTrustFailure(error)) throw error;
      credentials = await untilAborted(this.#config.credentials(credentials), signal);
      return await this.#send(exchange, credentials);
    }
  }

  async #send(
    { pool, method, path, options, signal }: Exchange,
    credentials: Credentials,
  ): Promise<Dispatcher.ResponseData> {
    const { clock, metrics, userAgent } = this.#options;
    const began = clock.now();
    let code = NO_ANSWER;
    try {
      const answer = await this.#pools.for(credentials.tls)[pool].request({
        origin: this.#origin,
        path: `${this.#prefix}${path}${queryText(options.query)}`,
        method,
        headers: {
          'User-Agent': userAgent,
          Accept: options.accept ?? 'application/json',
          ...(options.body !== undefined && { 'Content-Type': options.contentType ?? 'application/json' }),
          ...credentials.headers,
        },
        body: options.body === undefined ? null : JSON.stringify(options.body),
        signal,
      });
      code = String(answer.statusCode);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      throw await refusal(`${method} ${path}`, answer, clock.now());
    } catch (error) {
      throw isApiError(error) ? error : networkError(`${method} ${path}`, error);
    } finally {
      metrics?.requested({ method, code, host: this.#host }, (clock.now() - began) / 1000);
    }
  }
}

/** Called only when the time is over: an error with its stack costs more than the rest of a call's preparation. */
function timeoutError(what: string, timeoutMs: number): ApiError {
  return new ApiError(`${what}: no answer within ${timeoutMs} ms`, { kind: 'network' });
}

async function textOf(body: Dispatcher.ResponseData['body'], mostBytes: number | undefined): Promise<string> {
  if (mostBytes === undefined) return await body.text();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // If a caller leaves this loop early, the body ends, and with it the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > mostBytes) throw new AnswerTooLongError(mostBytes);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, length));
}

/**
 * Parses the JSON of an answer. The error does not repeat the message of the parser, which quotes the text: it may be
 * a Secret.
 */
function parsed(text: string, read: (text: string) => unknown = JSON.parse): unknown {
  try {
    return read(text);
  } catch (error) {
    throw error instanceof FailureError ? error : new CorruptAnswerError();
  }
}

/** Reports an answer of the API server, or of a proxy before it, that is not JSON. */
class CorruptAnswerError extends Error {
  constructor() {
    super('the answer is not JSON');
    this.name = 'CorruptAnswerError';
  }
}

function queryText(query: Query | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

async function refusal(what: string, answer: Dispatcher.ResponseData, nowMs: number): Promise<ApiError> {
  const header = answer.headers['retry-after'];
  const wait = retryAfterMs(typeof header === 'string' ? header : undefined, nowMs);
  const text = await answer.body.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not the API server answered but a proxy before it; its page says nothing useful.
    body = undefined;
  }
  return errorFromStatus(what, { status: answer.statusCode, body, retryAfterMs: wait });
}
