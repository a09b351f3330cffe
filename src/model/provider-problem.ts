import type { Plan } from './plan-kinds.ts';
import type { Situation } from './situation.ts';

/** Nothing is written before the service lists every provider that the spec requires (4.1). */
export function missingProviders({ resource, providers }: Situation): Plan | undefined {
  const required = resource.spec.requiredOAuthProviders ?? [];
  const listed = new Set(providers?.flatMap(({ name, providerID }) => [name, providerID]));
  const missing = required.filter((name) => !listed.has(name));
  if (missing.length === 0) return undefined;
  const why =
    providers === undefined ? 'the service did not list its providers' : 'the service does not list them';
  return {
    kind: 'wait',
    reason: 'ProviderMissing',
    message: `OAuth providers ${missing.join(', ')}: ${why}`,
  };
}
