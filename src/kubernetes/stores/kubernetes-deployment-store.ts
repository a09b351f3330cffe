import { type DeploymentResource, type DeploymentStatus, FINALIZER } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { decidedAlike } from '../../model/status/announced-status.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import { ApiError, isApiError, isRetryable } from '../client/api-error.ts';
import type { InstalledSchemas } from './installed-schemas.ts';
import type { ObjectWriter } from './object-writer.ts';

/**
 * The number of tries of a write, each on a newer version. After the last one the pass ends, and the next pass tries
 * again.
 */
const ATTEMPTS = 5;

const LANDING_BASE_MS = 100;
const LANDING_CAP_MS = 30_000;

/** The parts of a deployment store; `ended` aborts when the process gives up its writes. */
export interface DeploymentStoreOptions {
  readonly writer: ObjectWriter<DeploymentResource>;
  readonly schemas: Pick<InstalledSchemas, 'requireFields' | 'doubt'>;
  readonly clock: Clock;
  readonly ended: AbortSignal;
}

/** Stores deployment resources in the Kubernetes API. A finalizer is the claim, and the status is a subresource. */
export class KubernetesDeploymentStore implements DesiredStore {
  readonly #writer: ObjectWriter<DeploymentResource>;
  readonly #schemas: DeploymentStoreOptions['schemas'];
  readonly #clock: Clock;
  readonly #ended: AbortSignal;

  constructor(options: DeploymentStoreOptions) {
    this.#writer = options.writer;
    this.#schemas = options.schemas;
    this.#clock = options.clock;
    this.#ended = options.ended;
  }

  async get(key: Key): Promise<DeploymentResource | undefined> {
    return this.#writer.known(key);
  }

  /** Throws a transient ApiError for a resource that is gone or being deleted, which cannot be claimed any more. */
  async claim(resource: DeploymentResource): Promise<DeploymentResource> {
    const claimed = await this.#onFreshVersion(resource, async (current) => {
      const finalizers = current.metadata.finalizers ?? [];
      if (finalizers.includes(FINALIZER)) return current;
      if (current.metadata.deletionTimestamp !== undefined) throw notClaimable(resource, 'is being deleted');
      return await this.#writer.setFinalizers(current, [...finalizers, FINALIZER]);
    });
    if (claimed === undefined) throw notClaimable(resource, 'is gone');
    return claimed;
  }

  async release(resource: DeploymentResource): Promise<void> {
    const released = await this.#onFreshVersion(resource, async (current) => {
      const finalizers = current.metadata.finalizers ?? [];
      if (!finalizers.includes(FINALIZER)) return current;
      const others = finalizers.filter((name) => name !== FINALIZER);
      return await this.#writer.setFinalizers(current, others);
    });
    // The answer to the removal of the last finalizer shows the object although it is already gone.
    const held = (released?.metadata.finalizers ?? []).length > 0;
    if (released?.metadata.deletionTimestamp !== undefined && !held) this.#writer.forget(released);
  }

  /** Throws an ApiError, and writes nothing, if the API server would drop a part of the announcement. */
  async announce(
    resource: DeploymentResource,
    status: DeploymentStatus,
  ): Promise<DeploymentResource | 'stale'> {
    await this.#schemas.requireFields();
    const written = await this.#onFreshVersion(resource, async (current) =>
      decidedAlike(resource, current) ? await this.#announceOn(current, status) : undefined,
    );
    return written ?? 'stale';
  }

  async #announceOn(resource: DeploymentResource, status: DeploymentStatus): Promise<DeploymentResource> {
    try {
      return await this.#writer.setStatus(resource, status, { unknownFields: 'refuse' });
    } catch (error) {
      if (!isApiError(error, 'invalid')) throw error;
      this.#schemas.doubt();
      // The API server's message repeats the object, and a spec may hold a secret.
      const answer = `${error.status ?? ''} ${error.reason ?? ''}`.trim();
      const message = `the API server does not accept the announcement of a write unchanged (${answer}); nothing was sent`;
      throw new ApiError(message, { kind: 'invalid' });
    }
  }

  async saveStatus(
    resource: DeploymentResource,
    status: DeploymentStatus,
    how: { readonly mustLand: boolean },
  ): Promise<DeploymentResource | 'stale'> {
    if (how.mustLand) return await this.#land(resource, status);
    try {
      return await this.#writer.setStatus(resource, status);
    } catch (error) {
      if (isApiError(error, 'conflict', 'notFound')) return 'stale';
      throw error;
    }
  }

  /**
   * Runs `write` on the given version and, after a conflict, on the newest one. Returns undefined if the resource is
   * gone. If other edits win every time, throws the conflict.
   */
  async #onFreshVersion(
    resource: DeploymentResource,
    write: (current: DeploymentResource) => Promise<DeploymentResource | undefined>,
  ): Promise<DeploymentResource | undefined> {
    let current = resource;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write(current);
      } catch (error) {
        if (isApiError(error, 'notFound')) return undefined;
        if (!isApiError(error, 'conflict') || attempt === ATTEMPTS) throw error;
      }
      const fresh = await this.#writer.fresh(resource);
      if (fresh === undefined) return undefined;
      current = fresh;
    }
  }

  /** Writes until it succeeds: an unrecorded outcome would be sent to the service again. */
  async #land(resource: DeploymentResource, status: DeploymentStatus): Promise<DeploymentResource | 'stale'> {
    let current = resource;
    for (let failures = 0; ; failures += 1) {
      try {
        if (failures > 0) {
          const fresh = await this.#writer.fresh(resource);
          if (fresh === undefined) return 'stale';
          current = fresh;
        }
        return await this.#writer.setStatus(current, status);
      } catch (error) {
        if (isApiError(error, 'notFound')) return 'stale';
        if (!mayLand(error) || this.#ended.aborted) throw error;
        await this.#clock.sleep(this.#pauseMs(error, failures), this.#ended);
      }
    }
  }

  /** Returns no pause after the first conflict, and ever longer pauses, with full jitter, after further failures. */
  #pauseMs(error: ApiError, failures: number): number {
    if (error.kind === 'conflict' && failures === 0) return 0;
    const ceiling = Math.min(LANDING_CAP_MS, LANDING_BASE_MS * 2 ** Math.min(failures, 20));
    return (error.retryAfterMs ?? 0) + Math.round(this.#clock.random() * ceiling);
  }
}

/** True if a retry may succeed, also after a missing permission: a change of RBAC must not lose a record. */
function mayLand(error: unknown): error is ApiError {
  return isRetryable(error) || isApiError(error, 'forbidden');
}

function notClaimable(resource: DeploymentResource, why: string): ApiError {
  return new ApiError(`${keyText(keyOf(resource))} ${why}`, { kind: 'invalid' });
}
