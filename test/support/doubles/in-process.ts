import { control, CONTROL_PREFIX } from '../../../src/simulator/server/control.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../src/simulator/api/exchange.ts';
import type { SimulatedService } from '../../../src/simulator/server/simulated-service.ts';

/** A request as `fetch` takes it, with the parts that the service needs. */
export interface InProcessRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * Returns a replacement for `fetch` that calls a simulated service without a network, for tests with a virtual clock.
 * Faults look as they do with `fetch`: a reset rejects with a TypeError whose cause has the code ECONNRESET, a hanging
 * answer waits until the signal aborts, and a cut body fails while it is read.
 */
export function inProcessFetch(
  service: SimulatedService,
  baseURL: string,
): (url: string, request?: InProcessRequest) => Promise<Response> {
  const basePath = new URL(baseURL).pathname.replace(/(?<!\/)\/+$/, '');
  return async (url, request = {}) => {
    request.signal?.throwIfAborted();
    const asked = requestOf(new URL(url), basePath, request);
    const answered = asked.path.startsWith(CONTROL_PREFIX) ? control(service, asked) : service.handle(asked);
    const answer = await raced(Promise.resolve(answered), request.signal);
    return response(answer, request.signal);
  };
}

function requestOf(url: URL, basePath: string, request: InProcessRequest): SimulatedRequest {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const below = url.pathname.startsWith(`${basePath}/`);
  return {
    method: request.method ?? 'GET',
    path: below ? url.pathname.slice(basePath.length) : url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: request.body ?? '',
  };
}

async function response(answer: SimulatedAnswer, signal: AbortSignal | undefined): Promise<Response> {
  const { status, headers, body } = answer;
  switch (answer.delivery) {
    case 'hang':
      return raced(new Promise<never>(() => {}), signal);
    case 'reset':
      throw new TypeError('fetch failed', { cause: reset() });
    case 'reset-mid-body':
      return new Response(cutStream(body), { status, headers });
    case 'truncated':
      return new Response(body.slice(0, Math.floor(body.length / 2)), { status, headers });
    case 'whole':
      return new Response(status === 204 ? null : body, { status, headers });
  }
}

function cutStream(body: string): ReadableStream<Uint8Array> {
  const half = new TextEncoder().encode(body.slice(0, Math.floor(body.length / 2)));
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError('terminated', { cause: reset() }));
      else controller.enqueue(half);
      sent = true;
    },
  });
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

function raced<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
