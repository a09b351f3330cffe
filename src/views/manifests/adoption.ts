import type { DeploymentResource } from '../../api/deployment.ts';
import { type Adopted, adopted, type NotAdoptable } from './adopted.ts';
import { type ConnectionName, connectionNameOf, connectionText } from '../../model/connection/connection.ts';
import { declaredName } from '../../model/desired/desired.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { connectionReferences, deploymentIDs } from '../../model/connection/references.ts';
import { resourceNames } from './resource-names.ts';

/** Which deployments become manifests, and how. */
export interface AdoptionRequest {
  readonly connection: ConnectionName;
  /** Everything that the service lists. */
  readonly listed: readonly ObservedDeployment[];
  readonly chosen: readonly ObservedDeployment[];
  /** Resources that exist. */
  readonly declared: readonly DeploymentResource[];
  /** Also those that a resource stands for already. */
  readonly again: boolean;
  /** Absent: the manifests name none. */
  readonly namespace?: string | undefined;
  /** Of deployments whose source is not shown. */
  readonly source?: string | undefined;
  readonly withSecrets: boolean;
}

/** The results for the chosen deployments. */
export interface Adoption {
  /** In the order of their names. */
  readonly manifests: readonly Adopted[];
  readonly impossible: readonly NotAdoptable[];
  /** How many were left out because a resource stands for them already. */
  readonly declared: number;
}

/** Manifests for deployments that exist, each under a name of its own that no resource has. */
export function adoption(request: AdoptionRequest): Adoption {
  const { listed, chosen, again, connection, source, namespace, withSecrets } = request;
  const standIn = standIns(request.declared.filter((resource) => reaches(resource, connection)));
  const fresh = chosen.filter((observed) => again || standIn(observed) === undefined);
  const taken = new Set(request.declared.map(({ metadata }) => metadata.name));
  const names = resourceNames(
    listed.filter((observed) => standIn(observed) === undefined),
    taken,
  );
  const called = Map.groupBy(listed, ({ name }) => name);
  const results = fresh.map((observed) =>
    adopted(observed, {
      name: standIn(observed)?.metadata.name ?? names.get(observed.id) ?? observed.id,
      ...{ namespace, connection, source, withSecrets },
      ambiguous: (called.get(observed.name)?.length ?? 0) > 1,
    }),
  );
  return {
    manifests: results.filter((each) => each.kind === 'adopted').toSorted(byName),
    impossible: results.filter((each) => each.kind === 'not adoptable'),
    declared: chosen.length - fresh.length,
  };
}

function reaches(resource: DeploymentResource, connection: ConnectionName): boolean {
  return connectionReferences(resource).some(
    (reference) => connectionText(connectionNameOf(reference)) === connectionText(connection),
  );
}

/** Finds the resource that stands for a deployment: by the id that it is bound to or names, else by its name. */
function standIns(
  resources: readonly DeploymentResource[],
): (observed: ObservedDeployment) => DeploymentResource | undefined {
  const byID = new Map(
    resources.flatMap((resource) => deploymentIDs(resource).map((id) => [id.toLowerCase(), resource])),
  );
  const unbound = resources.filter((resource) => deploymentIDs(resource).length === 0);
  const byName = new Map(unbound.map((resource) => [declaredName(resource), resource]));
  return ({ id, name }) => byID.get(id.toLowerCase()) ?? byName.get(name);
}

function byName(a: Adopted, b: Adopted): number {
  return a.name < b.name ? -1 : 1;
}
