import type { Setting } from './teller.ts';

const SEED = `semantics: deletion:missing-405
auth: {kind: header, name: X-Api-Key, value: made-up-api-key}
deployments:
  - {name: original, source: external_container}
  - {name: billing, source: external_container, source_revision_config: {image_uri: 'images.example.com/billing:1'}}
  - {name: chat, source: external_container, secrets: {OLD_KEY: left-by-somebody}}
  - {name: checkout, source: external_container, source_revision_config: {image_uri: 'images.example.com/checkout:1'}}
  - {name: broken, source: external_container, source_revision_config: {image_uri: 'images.example.com/broken:1'}, semantics: never-active}
  - {name: quiet, source: external_container}
  - {name: leaving, source: external_container}
`;

function connection(name: string, key: string): string {
  return `apiVersion: dms-operator.dev/v1alpha1
kind: Connection
metadata: {name: ${name}, namespace: team-a}
spec:
  baseURL: http://127.0.0.1:7070
  headers: [{name: X-Api-Key, value: ${key}}]
  poll: {intervalSeconds: 2, rolloutSeconds: 1}
`;
}

function deployment(name: string, spec: string, annotations = '{}'): string {
  return `apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: ${name}, namespace: team-a, annotations: ${annotations}}
spec:
  source: external_container
${spec.replaceAll(/^/gm, '  ')}
`;
}

const image = (name: string): string => `sourceRevisionConfig: {imageURI: 'images.example.com/${name}'}`;
const keyOf = (name: string): string =>
  `secrets: [{name: API_KEY, valueFrom: {secretKeyRef: {name: ${name}, key: api-key}}}]`;

const FIRST = [
  connection('default', 'made-up-api-key'),
  connection('expired', 'another-key'),
  deployment('original', image('original:1')),
  deployment('leaving', 'deletionPolicy: Delete'),
];

const THEN = [
  deployment('billing', keyOf('billing')),
  deployment('broken', `rollout: {deadlineSeconds: 60}\n${image('broken:2')}`),
  deployment('chat', `secrets: [{name: LOG_FORMAT, value: json}]`),
  deployment('checkout', `approval: Manual\n${image('checkout:2')}`),
  deployment('copy', `deploymentRef: {name: original}\n${image('original:2')}`),
  deployment('orders', `connectionRef: {name: expired}\n${image('orders:1')}`),
  deployment('quiet', image('quiet:2'), `{dms-operator.dev/paused: 'true'}`),
  deployment('search', `deploymentRef: {name: serch}\n${image('search:1')}`),
];

/** Namespace team-a with one Deployment for each problem in docs/guides/troubleshooting.md. */
export const TROUBLES: Pick<Setting, 'files' | 'before'> = {
  files: { 'seed.yaml': SEED, 'first.yaml': FIRST.join('---\n'), 'then.yaml': THEN.join('---\n') },
  before: [
    'dms-operator simulate --seed seed.yaml --rollout-seconds 1',
    'dms-operator run',
    'kubectl apply -f first.yaml',
    'kubectl wait -n team-a --for=condition=Ready dmsd --all',
    'kubectl delete -n team-a dmsd/leaving --wait=false',
    'kubectl apply -f then.yaml',
  ],
};
