import { linkAbort } from '../../../src/kubernetes/client/link-abort.ts';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { ListPage, ListWatch } from '../../../src/kubernetes/watch/list-watch.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/resource-type.ts';
import type { JsonObject } from '../../../src/base/json.ts';

/** The next step of a scripted watch: it sends a line, fails, ends, or becomes silent permanently. */
export type WatchStep = JsonObject | Error | 'end' | 'silence';

/** One request that a reflector made. */
export type Asked =
  | {
      readonly kind: 'list';
      readonly continueToken: string | undefined;
      readonly limit: number;
      readonly atMs: number;
    }
  | { readonly kind: 'stream'; readonly atMs: number }
  | { readonly kind: 'watch'; readonly from: string; readonly timeoutSeconds: number; readonly atMs: number };

/** A list and watch source that follows a script, and records its requests and open watches. */
export class ScriptedListWatch implements ListWatch {
  readonly asked: Asked[] = [];
  openWatches = 0;
  readonly #pages: (ListPage | Error)[];
  readonly #watches: (readonly WatchStep[])[];
  readonly #streams: (readonly WatchStep[])[] | undefined;
  readonly #now: () => number;

  /** After the end of a script, lists are empty and watches are silent. */
  constructor(
    now: () => number,
    script: {
      readonly pages?: readonly (ListPage | Error)[];
      readonly watches?: readonly (readonly WatchStep[])[];
      /** Absent: the server does not support lists as streams. */
      readonly streams?: readonly (readonly WatchStep[])[];
    },
  ) {
    this.#now = now;
    this.#pages = [...(script.pages ?? [])];
    this.#watches = [...(script.watches ?? [])];
    this.#streams = script.streams && [...script.streams];
  }

  async *stream(signal: AbortSignal): AsyncGenerator<JsonObject> {
    signal.throwIfAborted();
    if (this.#streams === undefined) throw new ApiError('no such streams', { kind: 'invalid', status: 422 });
    this.asked.push({ kind: 'stream', atMs: this.#now() });
    yield* this.#steps(this.#streams.shift() ?? ['silence'], signal);
  }

  async page(options: { limit: number; continueToken?: string }, signal: AbortSignal): Promise<ListPage> {
    signal.throwIfAborted();
    const { continueToken, limit } = options;
    this.asked.push({ kind: 'list', continueToken, limit, atMs: this.#now() });
    const page = this.#pages.shift() ?? { items: [], resourceVersion: '1' };
    if (page instanceof Error) throw page;
    return page;
  }

  async *watch(
    options: { from: string; timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncGenerator<JsonObject> {
    signal.throwIfAborted();
    this.asked.push({ kind: 'watch', ...options, atMs: this.#now() });
    yield* this.#steps(this.#watches.shift() ?? ['silence'], signal);
  }

  async *#steps(steps: readonly WatchStep[], signal: AbortSignal): AsyncGenerator<JsonObject> {
    this.openWatches += 1;
    try {
      for (const step of steps) {
        if (step === 'end') return;
        if (step === 'silence') await untilAborted(signal);
        else if (step instanceof Error) throw step;
        else yield step;
      }
    } finally {
      this.openWatches -= 1;
    }
  }

  /** The requests so far, as short texts. */
  get story(): readonly string[] {
    return this.asked.map((request) => storyOf(request));
  }
}

function storyOf(request: Asked): string {
  if (request.kind === 'stream') return 'stream';
  return request.kind === 'watch' ? `watch ${request.from}` : `list ${request.continueToken ?? ''}`.trim();
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  const link = linkAbort(signal);
  return await new Promise((_resolve, reject) => {
    link.signal.addEventListener('abort', () => reject(link.signal.reason));
  });
}

/** Returns an object as the API server shows it. */
export function objectNamed(
  name: string,
  resourceVersion: string,
  uid = `uid-${name}`,
): KubernetesObject & JsonObject {
  return { metadata: { name, namespace: 'team-a', uid, resourceVersion } };
}

/** Returns a line of a watch about an object. */
export function eventLine(
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  object: KubernetesObject & JsonObject,
): JsonObject {
  return { type, object };
}

/** Returns the line that only advances the version. */
export function bookmarkLine(resourceVersion: string): JsonObject {
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion } } };
}

/** Returns the line that ends the initial objects of a stream. */
export function endOfListLine(resourceVersion: string): JsonObject {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion, annotations } } };
}

/** Returns an error in the middle of a stream. */
export function errorLine(code: number, reason: string): JsonObject {
  return { type: 'ERROR', object: { kind: 'Status', code, reason, message: reason } };
}
