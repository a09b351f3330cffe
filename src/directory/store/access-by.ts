import { CLUSTER_CONNECTION_KIND } from '../../api/connection.ts';
import { knownLabels, servesNamespace } from '../../model/connection/namespace-selector.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { DirectoryObjects } from './directory-objects.ts';

/**
 * Decides which namespaces a ClusterConnection serves. A folder holds no Namespaces, so each one has only the label
 * with its name.
 */
export function accessBy(objects: DirectoryObjects): ConnectionAccess {
  return {
    selects(name, namespace) {
      const found = objects.connection({ kind: CLUSTER_CONNECTION_KIND, namespace: '', name });
      return servesNamespace(found, knownLabels(namespace, {}));
    },
  };
}
