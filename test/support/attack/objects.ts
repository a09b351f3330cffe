/** Returns a Deployment `name` that binds the service's deployment of that name, with further members of its spec. */
export function deploymentObject(name: string, spec: Readonly<Record<string, unknown>> = {}): object {
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: { name },
    spec: { source: 'external_container', ...spec },
  };
}
