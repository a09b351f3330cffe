import { defined } from '../../base/defined.ts';
import type { Key } from '../../api/metadata.ts';
import type { JsonObject } from '../../base/json.ts';
import { ApiError, isApiError } from '../client/api-error.ts';
import { compact } from '../../base/compact.ts';
import { withoutBookkeeping } from '../objects/decoders.ts';
import { identityOf, objectFrom } from '../objects/object-text.ts';
import type { OwnCopies } from './own-copies.ts';
import { MERGE_PATCH, mergePatch } from '../objects/merge-patch.ts';
import {
  isKubernetesObject,
  type KubernetesObject,
  objectPath,
  type ResourceType,
} from '../objects/resource-type.ts';
import type { Query, Transport } from '../client/exchange.ts';

/** The name that the API server records as the writer of a field. */
const FIELD_MANAGER = 'dms-operator';

/** The parts that an object writer works with. */
export interface ObjectWriterOptions<T extends KubernetesObject> {
  readonly transport: Transport;
  readonly type: ResourceType;
  readonly decode: (object: KubernetesObject) => T;
  /** Returns the copy that the informer holds now. */
  readonly cached: (namespace: string, name: string) => T | undefined;
  readonly copies: OwnCopies<T>;
}

/**
 * Reads and writes single objects of one type. Every answer outranks the cache until the watch has delivered it too.
 */
export class ObjectWriter<T extends KubernetesObject & { readonly status?: object }> {
  readonly #options: ObjectWriterOptions<T>;

  constructor(options: ObjectWriterOptions<T>) {
    this.#options = options;
  }

  /** Returns the newest copy that this process knows, without a request. */
  known(key: Key): T | undefined {
    const { cached, copies } = this.#options;
    return copies.newest({ metadata: key }, cached(key.namespace, key.name));
  }

  /** Returns the object as the API server has it, or undefined if it is gone or another one took its name. */
  async fresh(object: T): Promise<T | undefined> {
    const { transport, type } = this.#options;
    try {
      const answer = await transport.request('GET', objectPath(type, nameOf(object)), {
        read: objectFrom,
      });
      const fresh = this.#accepted(answer.json);
      return fresh.metadata.uid === object.metadata.uid ? fresh : undefined;
    } catch (error) {
      if (isApiError(error, 'notFound')) return undefined;
      throw error;
    }
  }

  /** Sets the finalizers of exactly this version of the object. */
  async setFinalizers(object: T, finalizers: readonly string[]): Promise<T> {
    const { resourceVersion } = object.metadata;
    return await this.#patch(object, { metadata: { finalizers, ...version(resourceVersion) } });
  }

  /**
   * Makes the status of exactly this version of the object equal to `status`; sends nothing if it already is. With
   * `unknownFields: 'refuse'` the API server writes nothing if it would drop a part of the status; otherwise it drops
   * that part.
   */
  async setStatus(object: T, status: object, how?: { readonly unknownFields: 'refuse' }): Promise<T> {
    const change = mergePatch({ status: object.status ?? {} }, { status });
    if (change === undefined) return object;
    const body = { metadata: version(object.metadata.resourceVersion), ...change };
    const query = defined({ fieldValidation: how && 'Strict' });
    return await this.#patch(object, body, { subresource: 'status', query });
  }

  /**
   * Checks with a patch that changes nothing whether this version of the object is the newest. Throws a conflict if
   * not.
   */
  async confirm(object: T): Promise<void> {
    const body = { metadata: version(object.metadata.resourceVersion) };
    await this.#patch(object, body, { subresource: 'status' });
  }

  /** Drops our copy, which is no longer reliable. */
  forget(object: T): void {
    this.#options.copies.forget(object);
  }

  async #patch(
    object: T,
    body: JsonObject,
    { subresource, query }: { readonly subresource?: 'status'; readonly query?: Query } = {},
  ): Promise<T> {
    const { transport, type } = this.#options;
    const answer = await transport.request('PATCH', objectPath(type, nameOf(object), subresource), {
      query: { fieldManager: FIELD_MANAGER, ...query },
      contentType: MERGE_PATCH,
      body,
      read: objectFrom,
    });
    return this.#accepted(answer.json);
  }

  #accepted(json: unknown): T {
    const { cached, copies, decode, type } = this.#options;
    if (!isKubernetesObject(json)) {
      throw new ApiError(`the answer about a ${type.kind} is not an object`, { kind: 'network' });
    }
    const { name, namespace } = nameOf(json);
    const known = cached(namespace, name);
    const object = compact(decode(withoutBookkeeping(asKept(json, known))));
    copies.remember(object, known);
    return object;
  }
}

/**
 * Returns only the identity of an object that the cache leaves out because of its size, until the watch shows that
 * there is room.
 */
function asKept(object: KubernetesObject, known: KubernetesObject | undefined): KubernetesObject {
  if (known?.tooLarge === undefined || object.tooLarge !== undefined) return object;
  const identity = identityOf(object, known.tooLarge);
  return isKubernetesObject(identity) ? identity : object;
}

function nameOf(object: KubernetesObject): { readonly namespace: string; readonly name: string } {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

function version(resourceVersion: string | undefined): { resourceVersion?: string } {
  return defined({ resourceVersion });
}
