import type { Key } from '../../../src/api/metadata.ts';

/** The namespace of every resource that names no other. */
export const NAMESPACE = 'team-a';

/** The name that stories use when there is only one deployment. */
export const AGENT = 'support-agent';

/** The namespace and the name of an object that a story calls `name`, or `namespace/name` where it is in another one. */
export function placeOf(text: string): { readonly namespace: string; readonly name: string } {
  const [first = '', second] = text.split('/');
  return second === undefined ? { namespace: NAMESPACE, name: first } : { namespace: first, name: second };
}

/** The key of a resource of a world: `name`, or `namespace/name`. */
export function keyOf(name: string): Key {
  return { kind: 'Deployment', ...placeOf(name) };
}

/** How a story calls the object with this metadata: the opposite of `placeOf`. */
export function nameOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined || namespace === NAMESPACE ? name : `${namespace}/${name}`;
}
