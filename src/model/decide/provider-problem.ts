import type { DeploymentResource } from '../../api/deployment.ts';
import type { Listed, ObservedProvider } from '../external/inventory.ts';
import { type Plan, waiting } from '../plan/plan-kinds.ts';
import type { Situation } from '../plan/situation.ts';

/** Names and ids of spec.requiredOAuthProviders that are not listed. */
export function missingFrom(
  { items }: Listed<ObservedProvider>,
  { spec }: Pick<DeploymentResource, 'spec'>,
): readonly string[] {
  const listed = new Set(items.flatMap(({ name, providerID }) => [name, providerID]));
  return (spec.requiredOAuthProviders ?? []).filter((name) => !listed.has(name));
}

/** Nothing is written before the service lists every provider that the spec requires (4.1). */
export function missingProviders({ resource, providers, settings }: Situation): Plan | undefined {
  const missing = missingFrom(providers, resource);
  if (missing.length === 0) return undefined;
  const message = `OAuth providers ${missing.join(', ')}: ${whyNotListed(providers)}`;
  return waiting('ProviderMissing', message, settings.poll.intervalMs);
}

function whyNotListed({ more, trouble }: Listed<ObservedProvider>): string {
  if (trouble !== undefined) return `the service did not list its providers (${trouble.reason})`;
  const where = more ? ' on the first page; further ones (Link) are not read' : '';
  return `the service does not list them${where}`;
}
