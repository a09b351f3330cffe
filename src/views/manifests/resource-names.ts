/** Room below the 253 characters of a name in Kubernetes, and the 255 bytes of a file's, for what is put behind it. */
const LONGEST = 230;

/** A deployment of the service by what tells it from others. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * A name that Kubernetes accepts for each deployment, by its id: the name itself where it is one, else what is nearest
 * to it. Where several come to the same, the one that is called so keeps it and the others get a part of their id, so
 * that a name does not depend on the order of the list. None is one of the reserved names.
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

/** Lower-case letters, digits, hyphens and dots; '' where nothing of the name is left. */
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

/** The name with as much of the id behind it as makes it one of its own. */
function withID(nearest: string, id: string, taken: ReadonlySet<string>): string {
  const stem = nearest === '' ? 'deployment' : nearest;
  const short = `${stem}-${nearestName(id.slice(0, 8))}`;
  return taken.has(short) ? `${stem}-${nearestName(id)}` : short;
}
