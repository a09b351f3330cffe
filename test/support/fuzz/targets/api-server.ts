import { isJsonObject, type JsonObject } from '../../../../src/base/json.ts';
import {
  asClusterConnection,
  asConnection,
  asDeployment,
  asNameAndLabels,
  asNameAndVersion,
  withoutBookkeeping,
} from '../../../../src/kubernetes/objects/decoders.ts';
import { ApiError, errorFromStatus, retryAfterMs } from '../../../../src/kubernetes/client/api-error.ts';
import type { Transport } from '../../../../src/kubernetes/client/exchange.ts';
import { KubernetesLeaseStore } from '../../../../src/kubernetes/stores/kubernetes-lease-store.ts';
import { ObjectCache } from '../../../../src/kubernetes/watch/object-cache.ts';
import {
  isKubernetesObject,
  type KubernetesObject,
} from '../../../../src/kubernetes/objects/resource-type.ts';
import { KubernetesSecretReader } from '../../../../src/kubernetes/stores/kubernetes-secret-reader.ts';
import { DEPLOYMENT, METADATA } from '../inputs/api-objects.ts';
import { SECRET } from '../harm.ts';
import { must, type Target, type Targets, texts, told } from '../target.ts';

type Kept = KubernetesObject & { readonly labels?: readonly string[] };

const objects: Target = {
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
      const error = errorFromStatus('GET /apis/x', { status: code, body });
      const { message, reason = '', retryAfterMs: ms = 0 } = error;
      must(Buffer.byteLength(message) + reason.length <= 1024, 'a refusal is told in at most 1024 bytes');
      must(ms >= 0 && ms <= HOUR_MS, `an answer makes us wait for ${ms} ms`);
      return message;
    });
  },
};

/** Returns a transport that gives this answer to every request. */
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

function parsed(input: Buffer): unknown {
  try {
    const json: unknown = JSON.parse(input.toString());
    return isJsonObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** Readers of answers of the API server. */
export const TARGETS: Targets<'api-server'> = {
  'api-object': objects,
  'api-status': statuses,
  'api-secret-and-lease': data,
};
