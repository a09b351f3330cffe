import { DEPLOYMENT_STATUS } from '../../../api/full-status.ts';
import { SECRET } from '../harm.ts';

/** Metadata as the API server sends it, with its bookkeeping. */
export const METADATA = {
  name: 'support-agent',
  namespace: 'team-a',
  uid: '11111111-1111-4111-8111-111111111111',
  resourceVersion: '1234',
  generation: 7,
  creationTimestamp: '2026-11-20T10:00:00Z',
  finalizers: ['dms-operator.dev/deployment'],
  labels: { app: 'agent' },
  annotations: {
    'dms-operator.dev/paused': 'true',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  },
  managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': {} } }],
};

/** A Deployment with a spec, and a status in which every field is set. */
export const DEPLOYMENT = {
  apiVersion: 'dms-operator.dev/v1alpha1',
  kind: 'Deployment',
  metadata: METADATA,
  spec: {
    source: 'codehost',
    sourceConfig: { resourceSpec: { cpu: 2, labels: { a: 'b' } } },
    secrets: [{ name: 'A', value: SECRET }],
  },
  status: DEPLOYMENT_STATUS,
};
