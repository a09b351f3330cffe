/** Returns a Deployment manifest as a person would write it. */
export function deploymentYaml(
  name: string,
  more: { namespace?: string; image?: string; spec?: string; annotations?: string } = {},
): string {
  return `apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${more.namespace ?? 'team-a'}
${more.annotations === undefined ? '' : `  annotations: ${more.annotations}\n`}spec:
  deploymentRef: {name: ${name}}
  source: external_container
  sourceRevisionConfig: {imageURI: '${more.image ?? 'registry.example.com/agent:1'}'}
${more.spec ?? ''}`;
}

/** Returns a Connection manifest. */
export function connectionYaml(name: string, more: { namespace?: string; spec?: string } = {}): string {
  return `apiVersion: dms-operator.dev/v1alpha1
kind: Connection
metadata: {name: ${name}, namespace: ${more.namespace ?? 'team-a'}}
spec:
  baseURL: https://deploy.example.com
${more.spec ?? ''}`;
}

/** Returns a Secret manifest with plain texts. */
export function secretYaml(
  name: string,
  values: Readonly<Record<string, string>>,
  namespace = 'team-a',
): string {
  return `apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}}
stringData: ${JSON.stringify(values)}
`;
}

/** Joins several documents into one file. */
export function together(...documents: readonly string[]): string {
  return documents.join('---\n');
}
