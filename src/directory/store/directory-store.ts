import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { decidedAlike } from '../../model/status/announced-status.ts';
import { FailureError } from '../../model/connection/failure.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { DirectoryObjects } from './directory-objects.ts';
import { nextVersion, retainedOf } from '../state/resource-state.ts';

/**
 * Serves the desired state from a folder of manifests. Stores a claim in the state file. A call whose result must
 * survive a crash resolves only after the result is durable.
 */
export class DirectoryStore implements DesiredStore {
  readonly #objects: DirectoryObjects;

  constructor(objects: DirectoryObjects) {
    this.#objects = objects;
  }

  async get(key: Key): Promise<DeploymentResource | undefined> {
    return this.#objects.deployment(key);
  }

  async claim(resource: DeploymentResource): Promise<DeploymentResource> {
    const key = keyOf(resource);
    const current = this.#same(resource);
    const state = this.#objects.stateOf(key);
    if (current === undefined || state === undefined) throw cannotClaim(key, 'is gone');
    if (state.claimed) return current;
    await this.#objects.remember(
      key,
      nextVersion({ ...state, claimed: true, retained: retainedOf(current) }),
      true,
    );
    return this.#objects.deployment(key) ?? current;
  }

  async release(resource: DeploymentResource): Promise<void> {
    const key = keyOf(resource);
    const state = this.#objects.stateOf(key);
    if (state === undefined || !state.claimed || state.uid !== resource.metadata.uid) return;
    const { retained: _, ...kept } = state;
    const deleting = state.deletionTimestamp !== undefined;
    await this.#objects.remember(key, deleting ? undefined : nextVersion({ ...kept, claimed: false }), true);
    if (deleting) this.#objects.tell(key);
  }

  async announce(
    resource: DeploymentResource,
    status: DeploymentStatus,
  ): Promise<DeploymentResource | 'stale'> {
    const current = this.#same(resource);
    if (current === undefined || !decidedAlike(resource, current)) return 'stale';
    return this.#write(current, status, true);
  }

  async saveStatus(
    resource: DeploymentResource,
    status: DeploymentStatus,
    how: { readonly mustLand: boolean },
  ): Promise<DeploymentResource | 'stale'> {
    const current = this.#same(resource);
    if (current === undefined) return 'stale';
    const sameVersion = current.metadata.resourceVersion === resource.metadata.resourceVersion;
    return sameVersion || how.mustLand ? this.#write(current, status, how.mustLand) : 'stale';
  }

  async #write(
    current: DeploymentResource,
    status: DeploymentStatus,
    durable: boolean,
  ): Promise<DeploymentResource> {
    const key = keyOf(current);
    await this.#objects.writeStatus(key, status, durable);
    return this.#objects.deployment(key) ?? { ...current, status };
  }

  /** Returns the current resource, or undefined if it no longer exists or another resource took its name. */
  #same(resource: DeploymentResource): DeploymentResource | undefined {
    const current = this.#objects.deployment(keyOf(resource));
    return current?.metadata.uid === resource.metadata.uid ? current : undefined;
  }
}

function cannotClaim(key: Key, what: string): FailureError {
  return new FailureError(`${keyText(key)} ${what}`, { kind: 'transient', reason: 'Retrying', sent: 'no' });
}
