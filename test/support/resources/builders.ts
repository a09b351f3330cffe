import { createHash, createHmac } from 'node:crypto';
import type { DeploymentResource, DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { type Digests, digestsFor, type KeyedHashes } from '../../../src/model/recorded/digests.ts';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import { type DesiredSecrets, desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import { FIELDS } from '../../../src/model/desired/fields.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { Situation } from '../../../src/model/plan/situation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';

/** The current time in the tables of the model. */
export const NOW_MS = Date.parse('2026-11-20T12:00:00.000Z');

/** Returns a time in the format of a status, `ms` before or after `NOW_MS`. */
export function at(ms: number): string {
  return new Date(NOW_MS + ms).toISOString();
}

export const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const TENANT = '0c9d0d5e-0000-4000-8000-000000000001';

/** Returns hashes with a fixed key. Another `id` means that the key was lost. */
function hashesWith(id = 'testkey'): KeyedHashes {
  const hex = (text: string) => createHmac('sha256', id).update(text).digest('hex');
  return {
    keyID: id,
    hex,
    fingerprint: (text) => createHash('sha256').update(text).digest('base64url').slice(0, 22),
    digest: (text) => Buffer.from(hex(text), 'hex').toString('base64url').slice(0, 22),
  };
}

/** Returns the digests of `aResource` with such a key. */
export function digestsWith(id = 'testkey'): Digests {
  return digestsFor(aResource(), hashesWith(id));
}

/** Returns a resource of generation 1 without a status. */
export function aResource(
  spec: Partial<DeploymentSpec> = {},
  more: {
    readonly status?: DeploymentStatus;
    readonly generation?: number;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deleting?: boolean;
  } = {},
): DeploymentResource {
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: {
      name: 'support-agent',
      namespace: 'team-a',
      uid: '11111111-1111-4111-8111-111111111111',
      resourceVersion: '1',
      generation: more.generation ?? 1,
      ...(more.annotations === undefined ? {} : { annotations: more.annotations }),
      ...(more.deleting === true ? { deletionTimestamp: at(-1000) } : {}),
    },
    spec: { source: 'external_container', ...spec },
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

/** Returns a deployment at rest, with every field of the list sample and of 2.3. */
export function anObserved(more: Partial<ObservedDeployment> = {}): ObservedDeployment {
  return {
    id: ID,
    name: 'support-agent',
    source: 'external_container',
    tenantID: TENANT,
    createdTime: '2026-01-01T00:00:00Z',
    updatedTime: '2026-01-01T00:00:00Z',
    serviceStatus: 'READY',
    latestRevisionID: 'rev-1',
    activeRevisionID: 'rev-1',
    imageVersion: null,
    sourceConfig: { fields: {}, resourceSpec: null },
    sourceRevisionConfig: { fields: {} },
    secrets: [],
    secretReferences: null,
    ...more,
  };
}

/** Returns the settings of a connection with defaults and a plain address. */
export function someSettings(more: Partial<ConnectionSettings> = {}): ConnectionSettings {
  return {
    name: { kind: 'Connection', namespace: 'team-a', name: 'default' },
    baseURL: 'https://deploy.example.com/api',
    edition: 'Unknown',
    headers: [],
    tls: {},
    rateLimit: { requestsPerSecond: 5, burst: 10, concurrency: 4 },
    requestTimeoutMs: 30_000,
    poll: { intervalMs: 60_000, rolloutMs: 10_000 },
    list: { pageSize: 100, parameters: { limit: 'limit', offset: 'offset', name: 'name', ids: 'ids' } },
    patchBodies: 'Auto',
    suspend: false,
    ...more,
  };
}

/** Returns resolved secrets from plain texts. */
export function secretsOf(values: Readonly<Record<string, string>>): DesiredSecrets {
  return {
    kind: 'resolved',
    values: new Map(Object.entries(values).map(([name, value]) => [name, new SecretValue(value)])),
    references: [],
  };
}

/** Returns a situation in which a list has just shown the deployment. */
export function aSituation(
  resource: DeploymentResource,
  observed: ObservedDeployment,
  more: Partial<Situation> & { readonly secrets?: DesiredSecrets; readonly beganMs?: number } = {},
): Situation {
  const { secrets = { kind: 'unmanaged' }, beganMs = NOW_MS, ...rest } = more;
  return {
    resource,
    desired: desiredDeployment(resource.spec, secrets),
    observation: { kind: 'present', deployment: observed, beganMs, via: 'list' },
    settings: someSettings(),
    secretsListed: true,
    resourceSpecsListed: true,
    listedPaths: new Set(FIELDS.map(({ path }) => path)),
    providers: { items: [], more: false },
    secretsPlain: false,
    learned: {},
    inherited: false,
    plainLists: { current: false, seen: [] },
    rivals: [],
    creators: [],
    digests: digestsWith(),
    nowMs: NOW_MS,
    secondRead: false,
    ...rest,
  };
}
