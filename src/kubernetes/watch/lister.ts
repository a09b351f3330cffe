import { defined } from '../../base/defined.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { linkAbort } from '../client/link-abort.ts';
import { type ApiError, isApiError, networkError } from '../client/api-error.ts';
import { AnswerTooLongError } from '../client/exchange.ts';
import { CorruptLineError } from '../objects/json-lines.ts';
import { type ListWatch, parseWatchEvent, type WatchEvent } from './list-watch.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';
import { SilenceGuard } from '../client/silence-guard.ts';

/** All existing objects at one version. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly version: string;
}

/** The parts of a lister. */
export interface ListerOptions<Item> {
  readonly source: ListWatch;
  /** Reduces an object to the part that is kept. Called as objects arrive, which spreads the work of a long list. */
  readonly prepared: (object: KubernetesObject) => Item;
  readonly clock: Clock;
  readonly pageLimit: number;
  /** The greatest silence of a stream before the lister gives it up; for its first word a stream has twice that. */
  readonly idleMs: number;
}

/**
 * Reads all objects of a kind. It reads a stream if the server supports streams: the server sends one object after
 * the other from its memory. Pages may need reads of etcd, which take an API server four times as long. The lister
 * reads pages if the server refuses the stream, and once after every failed stream, since something in between may
 * block streams.
 */
export class Lister<Item> {
  readonly #options: ListerOptions<Item>;
  #streams: 'yes' | 'not now' | 'never' = 'yes';

  constructor(options: ListerOptions<Item>) {
    this.#options = options;
  }

  /** Returns the complete list. Throws an ApiError, or the reason of the signal. */
  async read(signal: AbortSignal): Promise<Listed<Item>> {
    if (this.#streams === 'yes') {
      const streamed = await this.#tryStream(signal);
      if (streamed !== undefined) return streamed;
    }
    const listed = await readPages(this.#options, signal);
    if (this.#streams === 'not now') this.#streams = 'yes';
    return listed;
  }

  /** Reads a stream; returns undefined if the server does not support such streams. */
  async #tryStream(signal: AbortSignal): Promise<Listed<Item> | undefined> {
    try {
      return await this.#stream(signal);
    } catch (error) {
      const isRefused = isApiError(error) && error.kind === 'invalid';
      if (!signal.aborted) this.#streams = isRefused ? 'never' : 'not now';
      if (isRefused) return undefined;
      throw error;
    }
  }

  async #stream(signal: AbortSignal): Promise<Listed<Item>> {
    const { clock, prepared, idleMs, source } = this.#options;
    const link = linkAbort(signal);
    const silence = new SilenceGuard(clock, idleMs, () => link.abort(endedEarly('fell silent')));
    const items = new Map<string, Item>();
    try {
      for await (const line of source.stream(link.signal)) {
        link.signal.throwIfAborted();
        silence.heard();
        const event = parseWatchEvent(line);
        if (event.kind === 'error') throw event.error;
        if (event.kind === 'changed') take(items, event, prepared);
        else if (event.endsList) return { items: [...items.values()], version: event.version };
      }
      throw endedEarly('ended too early');
    } catch (error) {
      if (signal.aborted || isApiError(error) || error instanceof CorruptLineError) throw error;
      throw networkError('list', error);
    } finally {
      silence.cancel();
      link.unlink();
    }
  }
}

/** Reads the complete list page by page, which needs only the right to list. Throws if a page fails. */
export async function readPages<Item>(
  {
    pageLimit,
    prepared,
    source,
    labelSelector,
  }: Pick<ListerOptions<Item>, 'pageLimit' | 'prepared' | 'source'> & {
    readonly labelSelector?: string | undefined;
  },
  signal: AbortSignal,
): Promise<Listed<Item>> {
  const items: Item[] = [];
  const asked = defined({ labelSelector });
  let continueToken: string | undefined;
  for (let limit = pageLimit; ;) {
    const next = defined({ continueToken });
    const page = await source.page({ limit, ...asked, ...next }, signal).catch(tooLong);
    signal.throwIfAborted();
    if (page === 'too long') {
      if (limit === 1) throw networkError('list', new Error('one object is too long to be read'));
      limit = Math.ceil(limit / SHRINK);
      continue;
    }
    for (const object of page.items) items.push(prepared(object));
    continueToken = page.continueToken;
    if (continueToken === undefined) return { items, version: page.resourceVersion };
    limit = Math.min(pageLimit, 2 * limit);
  }
}

/**
 * The factor by which the next page is smaller after a page that was too large. After each page that was not too large,
 * the size doubles.
 */
const SHRINK = 4;

function tooLong(error: unknown): 'too long' {
  if (error instanceof AnswerTooLongError) return 'too long';
  throw error;
}

/** Processes an event of the stream. Changes may arrive between the first objects and the end of the list. */
function take<Item>(
  items: Map<string, Item>,
  { change, object }: Extract<WatchEvent, { kind: 'changed' }>,
  prepared: (object: KubernetesObject) => Item,
): void {
  const { namespace = '', name } = object.metadata;
  const at = `${namespace}/${name}`;
  if (change === 'DELETED') items.delete(at);
  else items.set(at, prepared(object));
}

function endedEarly(how: string): ApiError {
  return networkError('list', new Error(`the stream ${how}`));
}
