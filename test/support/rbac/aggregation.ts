import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { Rule } from './rights.ts';

interface ClusterRole {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels?: Readonly<Record<string, string>> }[];
  };
}

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
/** The roles that Kubernetes gives to people. Each one is part of the next. */
const AGGREGATED = ['view', 'edit', 'admin'];

/** Fills the aggregated roles by their selectors, since the controller that usually does it does not run here. */
export async function aggregateRoles(cluster: Pick<ControlPlane, 'request'>): Promise<void> {
  for (const name of AGGREGATED) {
    const { json } = await cluster.request('GET', ROLES);
    const { items } = json as { readonly items: readonly ClusterRole[] };
    const role = items.find(({ metadata }) => metadata.name === name);
    const selectors = role?.aggregationRule?.clusterRoleSelectors ?? [];
    const parts = items.filter(({ metadata: { labels = {} } }) =>
      selectors.some(({ matchLabels = {} }) =>
        Object.entries(matchLabels).every(([label, value]) => labels[label] === value),
      ),
    );
    const rules = parts.flatMap((part) => part.rules ?? []);
    const type = 'application/merge-patch+json';
    const { status, text } = await cluster.request('PATCH', `${ROLES}/${name}`, { rules }, type);
    if (status !== 200) throw new Error(`role ${name} could not be filled: ${status} ${text}`);
  }
}
