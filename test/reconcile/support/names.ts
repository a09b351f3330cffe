import type { Key } from '../../../src/api/metadata.ts';

/** The default namespace of resources. */
export const NAMESPACE = 'team-a';

/** The default name in scenarios with a single deployment. */
export const AGENT = 'support-agent';

/**
 * Returns the namespace and name of an object that a scenario calls `name`, or `namespace/name` for another namespace.
 */
export function placeOf(text: string): { readonly namespace: string; readonly name: string } {
  const [first = '', second] = text.split('/');
  return second === undefined ? { namespace: NAMESPACE, name: first } : { namespace: first, name: second };
}

/** Returns the key of a resource of a world: `name`, or `namespace/name`. */
export function keyOf(name: string): Key {
  return { kind: 'Deployment', ...placeOf(name) };
}

/** Returns the name that a scenario uses for the object with this metadata: the inverse of `placeOf`. */
export function nameOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined || namespace === NAMESPACE ? name : `${namespace}/${name}`;
}
