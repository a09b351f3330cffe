import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { keyText } from '../../../src/api/metadata.ts';
import type { Fleet } from '../../../src/compose/operator/fleet.ts';
import { occupiedNames } from '../../../src/model/desired/desired-deployment.ts';
import { connectionReferences, deploymentIDs } from '../../../src/model/connection/data-references.ts';

/**
 * Returns a fleet that searches the whole list for every question, because the resources of a story change all the
 * time.
 */
export function listedFleet(list: () => readonly DeploymentResource[]): Fleet {
  return {
    get: ({ namespace, name }) =>
      list().find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace),
    boundTo: (id) => list().filter((resource) => deploymentIDs(resource).includes(id)),
    named: (name) => list().filter((resource) => occupiedNames(resource).includes(name)),
    usersOf: (connection) =>
      list().filter((resource) =>
        connectionReferences(resource).some((key) => keyText(key) === keyText(connection)),
      ),
  };
}
