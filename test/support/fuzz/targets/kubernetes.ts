import { isDeepStrictEqual } from 'node:util';
import { ExpectedError } from '../../../../src/model/expected-error.ts';
import { isJsonObject, type JsonObject } from '../../../../src/model/json.ts';
import {
  asClusterConnection,
  asConnection,
  asDeployment,
  asNameAndLabels,
  asNameAndVersion,
  withoutBookkeeping,
} from '../../../../src/kubernetes/decoders.ts';
import { ApiError, errorFromStatus, retryAfterMs } from '../../../../src/kubernetes/errors.ts';
import type { Transport } from '../../../../src/kubernetes/exchange.ts';
import { CorruptLineError, jsonLines, TruncatedStreamError } from '../../../../src/kubernetes/json-lines.ts';
import { loadClusterConfig } from '../../../../src/kubernetes/kube-config.ts';
import { KubernetesLeaseStore } from '../../../../src/kubernetes/lease-store.ts';
import { parseWatchEvent } from '../../../../src/kubernetes/list-watch.ts';
import { ObjectCache } from '../../../../src/kubernetes/object-cache.ts';
import { isKubernetesObject, type KubernetesObject } from '../../../../src/kubernetes/resources.ts';
import { KubernetesSecretReader } from '../../../../src/kubernetes/secret-reader.ts';
import { VirtualClock } from '../../../../src/simulator/virtual-clock.ts';
import { DEPLOYMENT_STATUS } from '../../../api/full-status.ts';
import { SECRET } from '../harm.ts';
import { HUGE_YAML } from '../huge.ts';
import { Scratch } from '../scratch.ts';
import { must, type Target, texts, told } from '../target.ts';

const METADATA = {
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

const DEPLOYMENT = {
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

const LINES = [
  { type: 'ADDED', object: DEPLOYMENT },
  { type: 'MODIFIED', object: { ...DEPLOYMENT, metadata: { ...METADATA, resourceVersion: '1235' } } },
  {
    type: 'BOOKMARK',
    object: { metadata: { resourceVersion: '1240', annotations: { 'k8s.io/initial-events-end': 'true' } } },
  },
  { type: 'DELETED', object: { ...DEPLOYMENT, metadata: { ...METADATA, resourceVersion: '1241' } } },
  {
    type: 'ERROR',
    object: {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'too old',
      details: { retryAfterSeconds: 3 },
    },
  },
].map((line) => `${JSON.stringify(line)}\n`);

async function* inChunks(input: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < input.length; at += length) yield input.subarray(at, at + length);
}

/** What a stream says, line by line, and how it ends. */
async function said(input: Buffer, length: number): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    for await (const line of jsonLines(inChunks(input, length))) {
      const event = parseWatchEvent(line);
      lines.push(
        event.kind === 'error' ? event.error.message : `${event.kind} ${event.version.slice(0, 100)}`,
      );
    }
  } catch (error) {
    lines.push(...told(error, CorruptLineError, TruncatedStreamError));
  }
  return lines;
}

const watch: Target = {
  name: 'watch-lines',
  cases: 8_000,
  whole: texts(LINES.join(''), ...LINES),
  isJSON: false,
  frames: [
    (huge) => `${huge}\n${LINES[0]}`,
    (huge) =>
      `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"spec":${huge}}}\n${LINES[1]}`,
    (huge) => `{"type":"ERROR","object":{"code":${huge},"reason":${huge},"message":${huge}}}\n`,
  ],
  read: async (input) => {
    const whole = await said(input, Math.max(1, input.length));
    const pieces = await said(input, Math.max(1 + (input.length % 7), Math.ceil(input.length / 1000)));
    must(isDeepStrictEqual(whole, pieces), 'a stream says something else where it comes in pieces');
    return whole.slice(0, 100);
  },
};

type Kept = KubernetesObject & { readonly labels?: readonly string[] };

const objects: Target = {
  name: 'api-object',
  cases: 7_000,
  whole: texts(
    JSON.stringify(DEPLOYMENT),
    JSON.stringify({ metadata: METADATA, data: { token: 'c2VjcmV0' } }),
  ),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"metadata":{"name":"a","labels":${huge},"annotations":${huge}},"spec":${huge}}`,
    (huge) =>
      `{"metadata":{"name":"a","managedFields":${huge}},"spec":{"creation":{"extra":${huge}}},"status":${huge}}`,
  ],
  read: (input) => {
    for (const decode of [
      asDeployment,
      asConnection,
      asClusterConnection,
      asNameAndVersion,
      asNameAndLabels,
    ]) {
      const cache = new ObjectCache<Kept, 'name'>({ name: ({ metadata }) => [metadata.name] });
      const object = parsed(input);
      if (!isKubernetesObject(object)) return [];
      const prepared = cache.prepare(object, (open) => decode(withoutBookkeeping(open)));
      cache.put(prepared);
      must(cache.list().length === 1, 'an object that is put in is there');
    }
    return [];
  },
};

const STATUS = {
  kind: 'Status',
  code: 409,
  reason: 'Conflict',
  message: 'changed',
  details: { retryAfterSeconds: 2 },
};
const HOUR_MS = 3_600_000;

const statuses: Target = {
  name: 'api-status',
  cases: 7_000,
  whole: texts(JSON.stringify(STATUS), JSON.stringify({ ...STATUS, code: 429, reason: 'TooManyRequests' })),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"reason":${huge},"message":${huge},"details":{"retryAfterSeconds":${huge}}}`,
  ],
  read: (input) => {
    const body = parsed(input);
    const wait = retryAfterMs(input.toString('latin1'), Date.parse('2026-11-20T12:00:00.000Z'));
    must(wait === undefined || (wait >= 0 && wait <= HOUR_MS), `a header makes us wait for ${wait} ms`);
    const codes = [200, 400, 401, 403, 404, 409, 410, 429, 500, 599];
    return codes.map((code) => {
      const error = errorFromStatus('GET /apis/x', code, body, undefined);
      const { message, reason = '', retryAfterMs: ms = 0 } = error;
      must(Buffer.byteLength(message) + reason.length <= 1024, 'a refusal is told in at most 1024 bytes');
      must(ms >= 0 && ms <= HOUR_MS, `an answer makes us wait for ${ms} ms`);
      return message;
    });
  },
};

/** A transport that answers the same to everything. */
function answering(json: unknown): Transport {
  return {
    request: async () => ({ status: 200, headers: {}, json }),
    watch: () => inNoLines(),
    close: async () => undefined,
  };
}

async function* inNoLines(): AsyncGenerator<JsonObject> {}

const SIGNAL = new AbortController().signal;

const data: Target = {
  name: 'api-secret-and-lease',
  cases: 4_000,
  whole: texts(
    JSON.stringify({ metadata: METADATA, data: { token: Buffer.from(SECRET).toString('base64') } }),
    JSON.stringify({
      metadata: METADATA,
      spec: {
        holderIdentity: 'pod-1',
        leaseDurationSeconds: 15,
        acquireTime: '2026-11-20T10:00:00.000000Z',
        renewTime: '2026-11-20T10:00:00.000000Z',
        leaseTransitions: 3,
      },
    }),
  ),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"metadata":{"name":"a"},"data":${huge},"spec":${huge}}`,
    (huge) =>
      `{"metadata":{"name":"a"},"data":{"a":${huge}},"spec":{"holderIdentity":${huge},"leaseDurationSeconds":${huge}}}`,
  ],
  read: async (input) => {
    const transport = answering(parsed(input));
    const name = { namespace: 'team-a', name: 'keys' };
    const found = await new KubernetesSecretReader(transport).read({ ...name, kind: 'Secret' });
    for (const { bytes } of found?.data.values() ?? []) must(bytes instanceof Uint8Array, 'a value is bytes');
    try {
      const { record } = (await new KubernetesLeaseStore(transport, name).read(SIGNAL)) ?? {};
      const { acquiredMs = 0, durationMs = 0, renewedMs = 0 } = record ?? {};
      const all = [acquiredMs, durationMs, renewedMs];
      must(all.every(Number.isFinite), 'the times of a Lease are numbers');
      return [];
    } catch (error) {
      return told(error, ApiError);
    }
  },
};

const KUBECONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'main',
  preferences: {},
  clusters: [
    {
      name: 'c',
      cluster: {
        server: 'https://127.0.0.1:6443',
        'certificate-authority-data': 'YQ==',
        'tls-server-name': 'x',
      },
    },
    {
      name: 'd',
      cluster: {
        server: 'http://127.0.0.1:8080',
        'insecure-skip-tls-verify': true,
        'proxy-url': 'http://127.0.0.1:1',
      },
    },
  ],
  contexts: [
    { name: 'main', context: { cluster: 'c', user: 'u', namespace: 'team-a' } },
    { name: 'other', context: { cluster: 'd', user: 'v' } },
  ],
  users: [
    { name: 'u', user: { token: SECRET, as: 'jane' } },
    {
      name: 'v',
      user: {
        username: 'jane',
        password: SECRET,
        'client-certificate-data': 'YQ==',
        'client-key-data': 'YQ==',
      },
    },
  ],
};

const KUBECONFIG_YAML = `apiVersion: v1
kind: Config
current-context: main
clusters:
- name: c
  cluster: {server: https://127.0.0.1:6443, insecure-skip-tls-verify: true}
contexts:
- name: main
  context:
    cluster: c
    user: u
    namespace: team-a
users:
- name: u
  user:
    token: "${SECRET}"
`;

const scratch = new Scratch();

const kubeconfigs: Target = {
  name: 'kubeconfig',
  cases: 2_000,
  whole: texts(JSON.stringify(KUBECONFIG), KUBECONFIG_YAML),
  isJSON: false,
  frames: [
    (huge) => huge,
    (huge) => `${KUBECONFIG_YAML}preferences: ${huge}\n`,
    (huge) => `current-context: a\nclusters: [{name: a, cluster: {server: ${huge}}}]\n`,
    (huge) => `current-context: ${huge}\ncontexts: [{name: a, context: {cluster: ${huge}}}]\n`,
  ],
  huge: HUGE_YAML,
  scratch,
  read: async (input) => {
    const kubeconfig = scratch.write('config', input);
    try {
      // Credentials are not asked for: a changed text may name any program or file of this machine.
      const {
        contextNamespace = '',
        server,
        context = '',
      } = await loadClusterConfig({ kubeconfig }, new VirtualClock());
      must(
        [contextNamespace, server, context].every((text) => typeof text === 'string'),
        'names are texts',
      );
      must(URL.canParse(server), 'the server has an address');
      return [];
    } catch (error) {
      return told(error, ExpectedError);
    }
  },
};

function parsed(input: Buffer): unknown {
  try {
    const json: unknown = JSON.parse(input.toString());
    return isJsonObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** Answers and streams of the API server, and how it is found. */
export const KUBERNETES_TARGETS: readonly Target[] = [watch, objects, statuses, data, kubeconfigs];
