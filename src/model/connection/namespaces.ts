/** The default namespace of the controller. */
export const OPERATOR_NAMESPACE = 'dms-operator';

/** True for what can be the name of a namespace: at most 63 lower-case letters, digits and hyphens. */
export function isNamespaceName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}
