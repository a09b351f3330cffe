import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { errorFromStatus, type ApiError } from '../client/api-error.ts';
import { CorruptLineError } from '../objects/json-lines.ts';
import { ItemsInText, pageFrom } from '../objects/object-text.ts';
import {
  collectionPath,
  isKubernetesObject,
  type KubernetesObject,
  type ResourceType,
} from '../objects/resource-type.ts';
import type { Transport } from '../client/exchange.ts';

/** One page of a list. */
export interface ListPage {
  /**
   * The objects of the page. Makes each object when it is taken; can be read only once. Throws a CorruptLineError for
   * an item that is not an object.
   */
  readonly items: Iterable<KubernetesObject>;
  /** The version of the whole list. */
  readonly resourceVersion: string;
  /** The token of the next page; absent on the last page. */
  readonly continueToken?: string;
}

/** Requests that list the existing objects and follow their changes. */
export interface ListWatch {
  /**
   * Yields the objects that exist, as the beginning of a watch: an event ADDED for each object and a bookmark at the
   * end. Throws an ApiError of kind `invalid` if the server does not support that.
   */
  stream(signal: AbortSignal): AsyncIterable<JsonObject>;
  /** Reads one page. Throws an AnswerTooLongError for a page of several objects that is too long. */
  page(
    options: { readonly limit: number; readonly continueToken?: string; readonly labelSelector?: string },
    signal: AbortSignal,
  ): Promise<ListPage>;
  watch(
    options: { readonly from: string; readonly timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncIterable<JsonObject>;
}

/** One line of a watch. */
export type WatchEvent =
  | {
      readonly kind: 'changed';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: KubernetesObject;
      readonly version: string;
    }
  | {
      readonly kind: 'bookmark';
      readonly version: string;
      /** True if everything that existed when the stream began has arrived. */
      readonly endsList: boolean;
    }
  | { readonly kind: 'error'; readonly error: ApiError };

const LIST_TIMEOUT_MS = 60_000;
/**
 * The greatest length of a page, as several pages may be read at the same time. It is more than 500 ordinary resources
 * take; one object is never as long.
 */
const LONGEST_PAGE = 8 * 1024 * 1024;
/** The server ends a longer stream, as it ends a forgotten watch. */
const STREAM_SECONDS = 600;
const END_OF_LIST = 'k8s.io/initial-events-end';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const METADATA_WATCH = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The objects of a type in one namespace, or everywhere for ''. */
export interface Collection {
  readonly type: ResourceType;
  readonly namespace: string;
  /** True if the server should leave out everything except metadata. Default: false. */
  readonly metadataOnly?: boolean | undefined;
}

/** Lists and watches a collection. */
export function listWatch(transport: Transport, { type, namespace, metadataOnly }: Collection): ListWatch {
  const path = collectionPath(type, namespace);
  const accept = metadataOnly === true ? METADATA_WATCH : undefined;
  return {
    stream(signal) {
      const query = {
        sendInitialEvents: true,
        // Without resourceVersion the list is current, like a page without one.
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
        timeoutSeconds: STREAM_SECONDS,
      };
      return transport.watch(path, query, signal, accept);
    },
    async page({ limit, continueToken, labelSelector }, signal) {
      const answer = await transport.request('GET', path, {
        // Without resourceVersion the list is current, so a relist never goes back in time.
        query: { limit, continue: continueToken, labelSelector },
        ...(metadataOnly === true && { accept: METADATA_LIST }),
        signal,
        timeoutMs: LIST_TIMEOUT_MS,
        read: pageFrom,
        mostBytes: LONGEST_PAGE,
      });
      return parsePage(answer.json);
    },
    watch({ from, timeoutSeconds }, signal) {
      const query = { resourceVersion: from, allowWatchBookmarks: true, timeoutSeconds };
      return transport.watch(path, query, signal, accept);
    },
  };
}

function parsePage(json: unknown): ListPage {
  const list = isJsonObject(json) ? json : {};
  const metadata = isJsonObject(list['metadata']) ? list['metadata'] : {};
  const { resourceVersion, continue: continueToken } = metadata;
  // Go writes an empty list as null.
  const items: unknown = list['items'] ?? [];
  // A watch from an empty version, or from 0, would begin at any version.
  const versioned = typeof resourceVersion === 'string' && resourceVersion !== '' && resourceVersion !== '0';
  if (!versioned || !(Array.isArray(items) || items instanceof ItemsInText)) throw noList();
  return {
    items: objectsIn(items),
    resourceVersion,
    ...(typeof continueToken === 'string' && continueToken !== '' ? { continueToken } : {}),
  };
}

function* objectsIn(items: Iterable<unknown>): Generator<KubernetesObject> {
  for (const item of items) {
    if (!isKubernetesObject(item)) throw noList();
    yield item;
  }
}

function noList(): CorruptLineError {
  return new CorruptLineError('is not a list of objects');
}

/** Decodes one line of a watch. Throws CorruptLineError for a line that cannot be understood. */
export function parseWatchEvent(line: JsonObject): WatchEvent {
  const { type, object } = line;
  if (!isJsonObject(object)) throw new CorruptLineError('is an event without an object');
  if (type === 'ERROR') {
    const code = typeof object['code'] === 'number' ? object['code'] : 500;
    return { kind: 'error', error: errorFromStatus('watch', { status: code, body: object }) };
  }
  const metadata = object['metadata'];
  const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version !== 'string' || version === '')
    throw new CorruptLineError('is an event without a version');
  if (type === 'BOOKMARK') return { kind: 'bookmark', version, endsList: isEndOfList(metadata) };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') {
    throw new CorruptLineError('is an event of an unknown type');
  }
  if (!isKubernetesObject(object)) throw new CorruptLineError('is an event about an object without a name');
  return { kind: 'changed', change: type, object, version };
}

function isEndOfList(metadata: unknown): boolean {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) && annotations[END_OF_LIST] === 'true';
}
