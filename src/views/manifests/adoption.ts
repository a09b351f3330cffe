import type { DeploymentResource } from '../../api/deployment.ts';
import { adopted, type Adopted, type NotAdoptable } from './adopted.ts';
import { type ConnectionName, connectionNameOf, connectionText } from '../../model/connection/connection.ts';
import { declaredName } from '../../model/desired/desired-deployment.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { connectionReferences, deploymentIDs } from '../../model/connection/data-references.ts';

/** The deployments to turn into manifests, and the options. */
export interface AdoptionRequest {
  readonly connection: ConnectionName;
  /** All deployments that the service lists. */
  readonly listed: readonly ObservedDeployment[];
  readonly chosen: readonly ObservedDeployment[];
  /** The existing resources. */
  readonly declared: readonly DeploymentResource[];
  /** True to include deployments that a resource already describes. */
  readonly again: boolean;
  /** The namespace; if absent, the manifests name none. */
  readonly namespace?: string | undefined;
  /** The source of deployments whose source is not shown. */
  readonly source?: string | undefined;
  readonly withSecrets: boolean;
}

/** The results for the chosen deployments. */
export interface Adoption {
  /** The manifests in the order of their names. */
  readonly manifests: readonly Adopted[];
  readonly impossible: readonly NotAdoptable[];
  /** The number of deployments that were left out because a resource already describes them. */
  readonly declared: number;
}

/** Makes manifests for existing deployments, each under a name that no resource has. */
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

/** Finds the resource of a deployment: by the id that it is bound to or names, or else by its name. */
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

/**
 * The longest name before a suffix. A name in Kubernetes has at most 253 characters, and a file name at most 255 bytes.
 */
const LONGEST = 230;

/** The id and the name of a deployment. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns a valid Kubernetes name for each deployment, by its id: its own name if valid, else the nearest valid name.
 * If several deployments get the same name, the deployment with exactly that name keeps it, and the others get a part
 * of their id, so that a name does not depend on the order of the list. Never returns a reserved name.
 */
export function resourceNames(
  deployments: readonly Named[],
  reserved: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const ordered = deployments.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const groups = Map.groupBy(ordered, ({ name }) => nearestName(name));
  const names = new Map<string, string>();
  const taken = new Set([...groups.keys(), ...reserved]);
  for (const [nearest, group] of groups) {
    const called = group.filter(({ name }) => name === nearest);
    const owner = group.length === 1 ? group[0] : called.length === 1 ? called[0] : undefined;
    for (const deployment of group) {
      const keeps = deployment === owner && nearest !== '' && !reserved.has(nearest);
      const name = keeps ? nearest : withID(nearest, deployment.id, taken);
      taken.add(name);
      names.set(deployment.id, name);
    }
  }
  return names;
}

/** Reduces a name to lower-case letters, digits, hyphens and dots; returns '' if nothing is left. */
function nearestName(name: string): string {
  const labels = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .slice(0, LONGEST)
    .split('.');
  return labels
    .map((label) => label.replaceAll(/^-+|(?<!-)-+$/g, ''))
    .filter((label) => label !== '')
    .join('.');
}

/** Returns the name with just enough of the id to make it unique. */
function withID(nearest: string, id: string, taken: ReadonlySet<string>): string {
  const stem = nearest === '' ? 'deployment' : nearest;
  const short = `${stem}-${nearestName(id.slice(0, 8))}`;
  return taken.has(short) ? `${stem}-${nearestName(id)}` : short;
}
