import { isDeepStrictEqual } from 'node:util';
import { ConnectionError, FailureError } from '../../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../../src/base/secret-value.ts';
import { DeprecationNotice } from '../../../../src/service/connection/vitals.ts';
import { answerError } from '../../../../src/service/http/answer-error.ts';
import { pageOf, providersOf, repositoriesOf } from '../../../../src/service/list/inventory.ts';
import {
  observedDeployment,
  observedProvider,
  observedRepository,
} from '../../../../src/service/list/observed-deployment.ts';
import { retryAfterMs } from '../../../../src/service/http/retry.ts';
import {
  changesBetween,
  indexByName,
  sameShown,
  type Snapshot,
} from '../../../../src/service/list/snapshot.ts';
import { decodeDeployment, decodePage } from '../../../../src/wire/decode.ts';
import type { WireDeployment } from '../../../../src/wire/deployment.ts';
import type { WireJson } from '../../../../src/wire/wire-json.ts';
import { SECRET } from '../harm.ts';
import { must, type Target, type Targets, texts, told } from '../target.ts';

const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const OTHER_ID = '7c1f3f0e-52b8-4f4e-9a64-0d8a4f8b1c22';

/** Every field of a deployment in the specification (2.3 to 2.7). */
const DEPLOYMENT = {
  id: ID,
  name: 'support-agent',
  source: 'external_container',
  source_config: {
    integration_id: null,
    repo_url: null,
    build_on_push: false,
    custom_url: 'https://agent.example.com',
    listener_id: OTHER_ID,
    listener_config: { k8s_namespace: 'agents', zone: 'b' },
    resource_spec: {
      ...{ min_scale: 0, max_scale: 4, cpu: 0.25, memory_mb: 1024, db_storage_gi: 20, gpu: 2 },
      labels: { 'app.kubernetes.io/part-of': 'agents' },
      annotations: { 'example.com/owner': 'team-a' },
      volumes: [{ name: 'settings', configMap: { name: 'agent-settings', default_mode: 420 } }],
      sidecars: [{ name: 'proxy', image: 'registry.example.com/proxy:1', env: [{ name: 'A', value: 'b' }] }],
    },
  },
  source_revision_config: {
    repo_ref: 'main',
    image_uri: 'registry.example.com/a:1',
    repo_commit_sha: 'a'.repeat(40),
  },
  secrets: [{ name: 'API_TOKEN', value: SECRET }, { name: 'MASKED', value: null }, { name: 'ABSENT' }],
  secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }],
  tenant_id: OTHER_ID,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
  status: 'READY',
  latest_revision_id: OTHER_ID,
  active_revision_id: OTHER_ID,
  image_version: null,
};

const LEAST = { id: OTHER_ID, name: 'least' };
const PAGE = JSON.stringify({ resources: [LEAST, DEPLOYMENT, { ...LEAST, id: 'x' }], offset: 3 });

function answerOf(input: Buffer) {
  return { status: 200, headers: { 'content-type': 'application/json' }, text: input.toString() };
}

/** Judges each item alone, and expects the same result from the item's own text. */
function judgePage(json: { readonly resources: readonly WireJson[] }): readonly string[] {
  const page = decodePage(json, String);
  must(page !== undefined, 'a page that could be read can be read again');
  const { items = [], malformed = [] } = page ?? {};
  must(items.length + malformed.length === json.resources.length, 'each item is usable or malformed');
  const alone = json.resources
    .slice(0, 20)
    .flatMap((item) => decodePage({ resources: [item] }, String)?.items ?? []);
  must(isDeepStrictEqual(items.slice(0, alone.length), alone), 'an item has changed what another one is');
  for (const item of alone) {
    const again = decodeDeployment(JSON.parse(JSON.stringify(item)) as WireJson, String);
    must(exactly(again) === exactly(item), 'what was read is read otherwise from its own text');
  }
  return malformed.slice(0, 100).map(({ problem }) => problem);
}

/** Returns a text that distinguishes values which are equal as JSON, in which Infinity becomes null. */
function exactly(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (part === Infinity ? 'Infinity' : part));
}

function snapshotOf(items: readonly WireDeployment<SecretValue>[]): Snapshot {
  const byID = new Map(items.map((item) => [item.id.toLowerCase(), observedDeployment(item)]));
  const times = { number: 1, beganMs: 0, endedMs: 0, calls: 1 };
  const ends = { complete: true, provesAbsence: true, stuck: false, problems: [], unreadable: new Map() };
  return {
    ...times,
    ...ends,
    byID,
    pages: new Map(),
    brief: new Set<string>(),
    twins: new Map<string, never>(),
    byName: indexByName(byID),
  };
}

const pages: Target = {
  whole: texts(PAGE, JSON.stringify({ resources: [] })),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"resources":${huge}}`,
    (huge) => `{"resources":[{"id":"a","name":"b"},${huge}]}`,
    (huge) =>
      `{"resources":[{"id":"a","name":"b","source_config":{"resource_spec":${huge}}},{"id":"c","name":"d"}]}`,
    (huge) => `{"resources":[{"id":"a","name":${huge},"secrets":[{"name":"A","value":${huge}}]}]}`,
  ],
  read: (input) => {
    const answer = answerOf(input);
    try {
      const { items, unknownFields } = pageOf(answer);
      const shown = snapshotOf(items);
      must(changesBetween(shown, snapshotOf(items)).ids.length === 0, 'what is shown twice has not changed');
      const json = JSON.parse(answer.text) as { resources: WireJson[] };
      return [...judgePage(json), ...unknownFields.keys()];
    } catch (error) {
      return told(error, ConnectionError);
    }
  },
};

const inventories: Target = {
  whole: texts(
    JSON.stringify([{ id: ID, organization_id: ID, provider_id: 'google', name: 'Google', uses_pkce: true }]),
    JSON.stringify([
      {
        host_integration_id: ID,
        name: 'agent',
        owner: 'acme',
        id: 7,
        url: 'https://x',
        default_branch: 'main',
      },
    ]),
  ),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `[${huge}]`,
    (huge) => `[{"id":${huge},"provider_id":"b","name":${huge}}]`,
  ],
  read: (input) => {
    const answer = answerOf(input);
    const problems: string[] = [];
    for (const read of [
      () => providersOf(answer).items.map(observedProvider),
      () => repositoriesOf(answer).items.map(observedRepository),
    ]) {
      try {
        must(sameShown(read(), read()), 'what is shown twice has not changed');
      } catch (error) {
        problems.push(...told(error, ConnectionError));
      }
    }
    return problems;
  },
};

const STATUSES = [
  301, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 422, 423, 425, 429, 451, 500, 501, 503, 599,
];
const SECRETS = [new SecretValue(SECRET)];

const errors: Target = {
  whole: texts(
    JSON.stringify({
      detail: [{ loc: ['body', 'secrets', 0, 'value'], msg: `too short: ${SECRET}`, input: SECRET }],
    }),
    JSON.stringify({ detail: `no such deployment ${SECRET}` }),
    JSON.stringify({ error: { message: 'not allowed' }, errors: [{ message: SECRET }], title: 'Forbidden' }),
    `<html><body>${SECRET}</body></html>`,
  ),
  isJSON: false,
  frames: [
    (huge) => huge,
    (huge) => `{"detail":${huge}}`,
    (huge) => `{"detail":[{"loc":${huge},"msg":"x"},{"msg":${huge}}]}`,
  ],
  read: (input) => {
    const text = input.toString();
    const status = STATUSES[input.length % STATUSES.length] ?? 500;
    return (['GET', 'PATCH', 'POST', 'DELETE'] as const).flatMap((method) => {
      const operation = ({ GET: 'list', PATCH: 'patch', POST: 'create', DELETE: 'delete' } as const)[method];
      const request = { method, operation, secrets: SECRETS };
      const error = answerError({ request, answer: { status, text }, pauseMs: 0, credentials: SECRETS });
      const known = error instanceof ConnectionError || error instanceof FailureError;
      must(known && Buffer.byteLength(error.message) <= 640, 'a refusal is told in at most 640 bytes');
      return known ? [error.message] : [];
    });
  },
};

const NOW_MS = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;

const headers: Target = {
  whole: texts('120', '1.5', 'Fri, 20 Nov 2026 12:01:00 GMT', '1795176060', '1795176060000', '0'),
  isJSON: false,
  frames: [(huge) => huge],
  read: (input) => {
    const text = input.toString('latin1');
    for (const stated of [
      { 'retry-after': text },
      { 'ratelimit-reset': text },
      { 'x-ratelimit-reset': text, 'x-ratelimit-remaining': '0' },
    ]) {
      const ms = retryAfterMs(stated, NOW_MS);
      must(ms === undefined || (ms > 0 && ms <= HOUR_MS), `an answer makes us wait for ${ms} ms`);
    }
    const notice = new DeprecationNotice();
    notice.look({ deprecation: text, sunset: text });
    return [notice.take() ?? ''];
  },
};

/** Readers of answers of the service. */
export const TARGETS: Targets<'service'> = {
  'service-page': pages,
  'service-inventory': inventories,
  'service-error': errors,
  'service-headers': headers,
};
