import { expect } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };

/** The effect of a value of the chart. */
export interface Effect {
  readonly value: string;
  /** The values for Helm. */
  readonly set: object;
  /** The object with the effect, by the key in `Rendered`. */
  readonly object: string;
  /** The contents of the object with the value, and not without it. Absent if the object does not exist then. */
  readonly shows?: object;
}

const OURS = 'dms-operator/dms-operator';
const WORKLOAD = `Deployment ${OURS}`;
const POLICY = `NetworkPolicy ${OURS}`;
const SERVICE = 'Service dms-operator/dms-operator-metrics';
const OWN_ROLE = 'Role dms-operator/dms-operator-own-namespace';
const DIGEST = `sha256:${'a'.repeat(64)}`;

function pod(value: string, given: unknown, spec: object): Effect {
  return {
    value,
    set: { [value]: given },
    object: WORKLOAD,
    shows: { spec: { template: { spec } } },
  };
}

function container(value: string, set: object, shows: object): Effect {
  return { value, set, object: WORKLOAD, shows: { spec: { template: { spec: { containers: [shows] } } } } };
}

function args(value: string, given: unknown, ...words: readonly string[]): Effect {
  return container(value, { [value]: given }, { args: ['run', ...words] });
}

const taint = { key: 'dedicated', operator: 'Exists' };
const affinity = {
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
};
const spread = { maxSkew: 2, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
const otherPort = { ports: [{ protocol: 'TCP', port: 8080 }] };
const variable = { name: 'DMS_OPERATOR_LOG_FORMAT', value: 'pretty' };
const labels = (instance: string): object => ({
  'app.kubernetes.io/name': 'dms-operator',
  'app.kubernetes.io/instance': instance,
  'app.kubernetes.io/component': 'controller',
});

/** A null value is left to the platform. */
const WITHOUT_USER: unknown = expect.not.objectContaining({ runAsUser: 65532 });

/** The only label of that kind is missing. */
const WITHOUT_AGGREGATION: unknown = expect.not.objectContaining({
  'rbac.authorization.k8s.io/aggregate-to-view': 'true',
});

/** At least one effect of every value. */
export const EFFECTS: readonly Effect[] = [
  container(
    'image.repository',
    { image: { repository: 'registry.example.com/dms' } },
    { image: `registry.example.com/dms:${packageFile.version}` },
  ),
  container('image.tag', { image: { tag: '9.9.9' } }, { image: 'dms-operator:9.9.9' }),
  container('image.digest', { image: { digest: DIGEST, tag: '9.9.9' } }, { image: `dms-operator@${DIGEST}` }),
  container('image.pullPolicy', { image: { pullPolicy: 'Always' } }, { imagePullPolicy: 'Always' }),
  pod('imagePullSecrets', [{ name: 'registry' }], { imagePullSecrets: [{ name: 'registry' }] }),
  {
    value: 'fullnameOverride',
    set: { fullnameOverride: 'other' },
    object: 'Deployment dms-operator/other',
    shows: { metadata: { name: 'other' }, spec: { template: { spec: { serviceAccountName: 'other' } } } },
  },
  {
    value: 'crds.install',
    set: { crds: { install: false } },
    object: 'CustomResourceDefinition deployments.dms-operator.dev',
  },
  { value: 'replicas', set: { replicas: 3 }, object: WORKLOAD, shows: { spec: { replicas: 3 } } },
  {
    value: 'replicas',
    set: { replicas: 1 },
    object: `PodDisruptionBudget ${OURS}`,
  },
  {
    value: 'leaderElection.enabled',
    set: { leaderElection: { enabled: false }, replicas: 1 },
    object: WORKLOAD,
    shows: {
      spec: {
        strategy: { type: 'Recreate' },
        template: { spec: { containers: [{ args: ['run', '--leader-elect=false'] }] } },
      },
    },
  },
  args('watchNamespaces', ['team-b', 'team-a'], '--namespace=team-b', '--namespace=team-a'),
  { value: 'watchNamespaces', set: { watchNamespaces: ['team-a'] }, object: 'ClusterRole dms-operator' },
  {
    value: 'watchNamespaces',
    set: { watchNamespaces: ['team-a'] },
    object: 'ClusterRole dms-operator-cluster-scoped',
  },
  args('shardSelector', 'shard notin (a,b)', '--shard-selector=shard notin (a,b)'),
  args(
    'allowHosts',
    ['*.example.com', 'a.test:8443'],
    '--allow-hosts=*.example.com',
    '--allow-hosts=a.test:8443',
  ),
  args('proxyHosts', ['proxy.test:3128'], '--proxy-hosts=proxy.test:3128'),
  {
    value: 'proxyHosts',
    set: { proxyHosts: ['a.test:3128', '*.b.test', 'c.test:8080', 'd.test:3128', 'e.test:443'] },
    object: POLICY,
    shows: {
      spec: { egress: [{}, {}, { ports: [443, 80, 3128, 8080].map((port) => ({ protocol: 'TCP', port })) }] },
    },
  },
  args('proxyFromEnvironment', true, '--proxy-from-environment'),
  args('logLevel', 'debug', '--log-level=debug'),
  args('extraArgs', ['--workers=128'], '--workers=128'),
  container('extraEnv', { extraEnv: [variable] }, { env: [variable] }),
  container(
    'resources',
    { resources: { limits: { memory: '1Gi' } } },
    { resources: { requests: { cpu: '50m' }, limits: { memory: '1Gi' } } },
  ),
  {
    value: 'podSecurityContext',
    set: { podSecurityContext: { runAsUser: null } },
    object: WORKLOAD,
    shows: { spec: { template: { spec: { securityContext: WITHOUT_USER } } } },
  },
  pod('nodeSelector', { disk: 'fast' }, { nodeSelector: { disk: 'fast' } }),
  pod('tolerations', [taint], { tolerations: [taint] }),
  pod('affinity', affinity, { affinity }),
  pod('topologySpreadConstraints', [spread], {
    topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labels('dms-operator') } }],
  }),
  pod('topologySpreadConstraints', [{ ...spread, labelSelector: {} }], {
    topologySpreadConstraints: [{ ...spread, labelSelector: {} }],
  }),
  pod('priorityClassName', 'high', { priorityClassName: 'high' }),
  {
    value: 'podAnnotations',
    set: { podAnnotations: { note: 'text' } },
    object: WORKLOAD,
    shows: { spec: { template: { metadata: { annotations: { note: 'text' } } } } },
  },
  {
    value: 'podLabels',
    set: { podLabels: { note: 'text' } },
    object: WORKLOAD,
    shows: { spec: { template: { metadata: { labels: { note: 'text' } } } } },
  },
  {
    value: 'serviceAccount.create',
    set: { serviceAccount: { create: false } },
    object: `ServiceAccount ${OURS}`,
  },
  {
    value: 'serviceAccount.name',
    set: { serviceAccount: { create: false, name: 'theirs' } },
    object: WORKLOAD,
    shows: { spec: { template: { spec: { serviceAccountName: 'theirs' } } } },
  },
  {
    value: 'serviceAccount.name',
    set: { serviceAccount: { name: 'theirs' } },
    object: 'ClusterRoleBinding dms-operator',
    shows: { subjects: [{ name: 'theirs' }] },
  },
  {
    value: 'serviceAccount.annotations',
    set: { serviceAccount: { annotations: { note: 'text' } } },
    object: `ServiceAccount ${OURS}`,
    shows: { metadata: { annotations: { note: 'text' } } },
  },
  ...['ClusterRole dms-operator', 'ClusterRole dms-operator-cluster-scoped', OWN_ROLE].map((object) => ({
    value: 'rbac.create',
    set: { rbac: { create: false } },
    object,
  })),
  {
    value: 'userRoles.create',
    set: { userRoles: { create: false } },
    object: 'ClusterRole dms-operator-edit',
  },
  {
    value: 'userRoles.aggregate',
    set: { userRoles: { aggregate: false } },
    object: 'ClusterRole dms-operator-view',
    shows: { metadata: { labels: WITHOUT_AGGREGATION } },
  },
  { value: 'networkPolicy.enabled', set: { networkPolicy: { enabled: false } }, object: POLICY },
  {
    value: 'networkPolicy.ingressFrom',
    set: { networkPolicy: { ingressFrom: [monitoring] } },
    object: POLICY,
    shows: { spec: { ingress: [{ from: [monitoring], ports: [{ port: 'http' }] }] } },
  },
  {
    value: 'networkPolicy.extraEgress',
    set: { networkPolicy: { extraEgress: [otherPort] } },
    object: POLICY,
    shows: { spec: { egress: [{}, {}, {}, otherPort] } },
  },
  {
    value: 'podDisruptionBudget.enabled',
    set: { podDisruptionBudget: { enabled: false } },
    object: `PodDisruptionBudget ${OURS}`,
  },
  {
    value: 'podDisruptionBudget.minAvailable',
    set: { podDisruptionBudget: { minAvailable: '50%' } },
    object: `PodDisruptionBudget ${OURS}`,
    shows: { spec: { minAvailable: '50%' } },
  },
  { value: 'metrics.service.enabled', set: { metrics: { service: { enabled: false } } }, object: SERVICE },
  {
    value: 'metrics.service.annotations',
    set: { metrics: { service: { annotations: { note: 'text' } } } },
    object: SERVICE,
    shows: { metadata: { annotations: { note: 'text' } } },
  },
];
