const REVISION = '0190f1d2-7d2e-7c3a-9f3f-4b8f2c0d1e5a';

/** A Deployment resource at rest as the API server sends it: about 2 KB of JSON, a third of it managed fields. */
export function sampleObject(index: number, version: number): object {
  const name = `agent-${String(index).padStart(5, '0')}`;
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: `team-${index % 50}`,
      uid: uuid(index),
      resourceVersion: String(version),
      generation: 2,
      creationTimestamp: '2026-11-20T10:00:00Z',
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'bench' },
      managedFields: [
        managed('kubectl', 'f:spec', SPEC_FIELDS),
        managed('dms-operator', 'f:status', STATUS_FIELDS),
      ],
    },
    spec: {
      source: 'external_container',
      sourceConfig: { resourceSpec: { cpu: 1, memoryMB: 1024, minScale: 1, maxScale: 3 } },
      sourceRevisionConfig: { imageURI: `registry.example.com/agent:${version % 1_000}` },
    },
    status: {
      observedGeneration: 2,
      deploymentID: uuid(index + 1_000_000),
      activeRevisionID: REVISION,
      latestRevisionID: REVISION,
      deploymentStatus: 'READY',
      binding: { endpoint: 'https://deploy.example.com', by: 'Name', time: '2026-11-20T10:00:01Z' },
      conditions: [
        condition('Ready', 'InSync', 'the service shows what the spec asks for'),
        condition('Synced', 'InSync', 'the service shows what the spec asks for'),
      ],
    },
  };
}

const SPEC_FIELDS = ['f:source', 'f:sourceConfig', 'f:sourceRevisionConfig'];
const STATUS_FIELDS = [
  'f:activeRevisionID',
  'f:binding',
  'f:conditions',
  'f:deploymentID',
  'f:latestRevisionID',
];

function managed(manager: string, part: string, fields: readonly string[]): object {
  return {
    manager,
    operation: 'Update',
    apiVersion: 'dms-operator.dev/v1alpha1',
    time: '2026-11-20T10:00:01Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { [part]: Object.fromEntries(fields.map((field) => [field, { '.': {} }])) },
  };
}

function condition(type: string, reason: string, message: string): object {
  const lastTransitionTime = '2026-11-20T10:00:02Z';
  return { type, status: 'True', observedGeneration: 2, lastTransitionTime, reason, message };
}

function uuid(index: number): string {
  return `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
}
