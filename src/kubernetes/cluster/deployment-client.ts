import { defined } from '../../base/defined.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { unknownKinds } from './cluster-look.ts';
import { asDeployment, withoutBookkeeping } from '../objects/decoders.ts';
import { ApiError, isApiError } from '../client/api-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Transport } from '../client/exchange.ts';
import { listWatch } from '../watch/list-watch.ts';
import { readPages } from '../watch/lister.ts';
import { objectFrom } from '../objects/object-text.ts';
import { REFLECTOR_TUNING } from '../watch/reflector-state.ts';
import { MERGE_PATCH } from '../objects/merge-patch.ts';
import {
  DEPLOYMENTS,
  isKubernetesObject,
  type KubernetesObject,
  objectPath,
} from '../objects/resource-type.ts';

/**
 * The name that the API server records as the writer of a person's annotation. At its next apply, Flux takes over
 * fields that managers called kubectl have written, and removes those that the repository lacks. Its documentation
 * gives this name to users whose edits should stay.
 */
const FIELD_MANAGER = 'flux-client-side-apply';

/** The name and namespace of one resource. */
export interface ResourceName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Accesses deployment resources for a command that takes seconds: it sends a request when needed, and has no watch and
 * no cache.
 */
export class DeploymentClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Lists the resources of one namespace or, for '', of all namespaces. Throws an ApiError, or an ExpectedError of one
   * line.
   */
  async list(
    namespace: string,
    labelSelector: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly DeploymentResource[]> {
    const source = listWatch(this.#transport, { type: DEPLOYMENTS, namespace });
    const { pageLimit } = REFLECTOR_TUNING;
    const prepared = (object: KubernetesObject): DeploymentResource =>
      asDeployment(withoutBookkeeping(object));
    try {
      return (await readPages({ source, prepared, pageLimit, labelSelector }, signal)).items;
    } catch (error) {
      throw isApiError(error, 'notFound') ? unknownKinds(error) : error;
    }
  }

  /** Returns one resource, or undefined if it does not exist. Throws as `list` does. */
  async get(name: ResourceName, signal: AbortSignal): Promise<DeploymentResource | undefined> {
    try {
      return decoded(
        (await this.#transport.request('GET', objectPath(DEPLOYMENTS, name), { signal, read: objectFrom }))
          .json,
      );
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
      // For an unknown kind, the API server only says that the page does not exist.
      if (error.reason === 'NotFound') return undefined;
      throw unknownKinds(error);
    }
  }

  /** Sets annotations of exactly this object, or removes those that are null. Throws an ApiError. */
  async annotate(
    resource: DeploymentResource,
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<DeploymentResource> {
    const { uid } = resource.metadata;
    return this.#patch(resource, { ...defined({ uid }), annotations }, signal);
  }

  /** Sets annotations only if the object has not changed since; otherwise throws an ApiError of kind `conflict`. */
  async annotateUnchanged(
    resource: DeploymentResource,
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<DeploymentResource> {
    const { uid, resourceVersion } = resource.metadata;
    return this.#patch(resource, { ...defined({ uid, resourceVersion }), annotations }, signal);
  }

  async #patch(
    { metadata: { name, namespace = '' } }: DeploymentResource,
    metadata: JsonObject,
    signal: AbortSignal,
  ): Promise<DeploymentResource> {
    const answer = await this.#transport.request('PATCH', objectPath(DEPLOYMENTS, { name, namespace }), {
      query: { fieldManager: FIELD_MANAGER },
      contentType: MERGE_PATCH,
      // If another object has taken the name meanwhile, the uid makes the patch a conflict.
      body: { metadata },
      read: objectFrom,
      signal,
    });
    return decoded(answer.json);
  }
}

function decoded(json: unknown): DeploymentResource {
  if (isKubernetesObject(json)) return asDeployment(withoutBookkeeping(json));
  throw new ApiError('the answer about a Deployment is not an object', { kind: 'network' });
}
