import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import type { Key } from '../../api/metadata.ts';

/**
 * Stores deployment resources, in the Kubernetes API or a directory. `get` returns the newest copy that this process
 * knows: a status that it wrote itself outranks an older watch event.
 */
export interface DesiredStore {
  /** Returns the resource, or undefined if it does not exist. Callers must not change it. */
  get(key: Key): Promise<DeploymentResource | undefined>;
  /** Marks the resource as ours, so that its removal waits for us. Returns the updated resource. */
  claim(resource: DeploymentResource): Promise<DeploymentResource>;
  /** Undoes `claim`. Does nothing if the resource no longer exists. */
  release(resource: DeploymentResource): Promise<void>;
  /**
   * Writes the status against the version of `resource`, which proves that the decision was not based on a stale
   * object. On a conflict, reads the object again. If uid, generation, status and our annotations are unchanged, writes
   * against the fresh version; otherwise writes nothing and returns 'stale'. A changed status means that another
   * process of ours writes too, and two may not both send.
   */
  announce(resource: DeploymentResource, status: DeploymentStatus): Promise<DeploymentResource | 'stale'>;
  /**
   * Writes the status. With `mustLand`, repeats the write on the fresh object (same uid) until it succeeds. Otherwise
   * returns 'stale' on a conflict, since the next pass computes the status again.
   */
  saveStatus(
    resource: DeploymentResource,
    status: DeploymentStatus,
    how: { readonly mustLand: boolean },
  ): Promise<DeploymentResource | 'stale'>;
}
