import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import type { Key } from '../../api/metadata.ts';

/**
 * Where deployment resources live: the Kubernetes API or a directory. `get` answers from the newest copy this
 * process knows: a status it wrote itself outranks an older watch event.
 */
export interface DesiredStore {
  /** The resource, or undefined when it is gone. Callers never change what they get. */
  get(key: Key): Promise<DeploymentResource | undefined>;
  /** Marks the resource as ours, so that its removal waits for us. Answers the resource as it is then. */
  claim(resource: DeploymentResource): Promise<DeploymentResource>;
  /** The opposite of `claim`; a resource that is already gone is fine. */
  release(resource: DeploymentResource): Promise<void>;
  /**
   * Writes the status against the version that `resource` carries: the check that a decision was not made on a
   * stale object. On a conflict the object is read again, and where uid, generation, status and our annotations are
   * unchanged the write is made on the fresh version; otherwise the answer is 'stale' and nothing was written. A
   * status that moved is another writer of ours, and two may not both send.
   */
  announce(resource: DeploymentResource, status: DeploymentStatus): Promise<DeploymentResource | 'stale'>;
  /**
   * Writes the status. With `mustLand` it is repeated on the fresh object (same uid) until it lands; without, a
   * conflict answers 'stale', since the next pass computes it again.
   */
  saveStatus(
    resource: DeploymentResource,
    status: DeploymentStatus,
    how: { readonly mustLand: boolean },
  ): Promise<DeploymentResource | 'stale'>;
}
