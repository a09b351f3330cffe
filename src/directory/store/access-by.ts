import { CLUSTER_CONNECTION_KIND } from '../../api/connection.ts';
import { knownLabels, servesNamespace } from '../../model/connection/namespace-selector.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { DirectoryObjects } from './directory-objects.ts';

/** A folder holds no Namespaces: each has the label with its name, and no other. */
export function accessBy(objects: DirectoryObjects): ConnectionAccess {
  return {
    selects(name, namespace) {
      const found = objects.connection({ kind: CLUSTER_CONNECTION_KIND, namespace: '', name });
      return servesNamespace(found, knownLabels(namespace, {}));
    },
  };
}
