import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import type { DeploymentStatus } from '../../../../src/api/deployment.ts';
import { ConnectionError } from '../../../../src/model/connection/failure.ts';
import { isJsonObject } from '../../../../src/base/json.ts';
import type { Observation } from '../../../../src/model/external/observation.ts';
import { makePlan } from '../../../../src/model/decide/make-plan.ts';
import { nextStatus } from '../../../../src/model/status/next-status.ts';
import { pageOf, sealed } from '../../../../src/service/list/inventory.ts';
import { observedDeployment } from '../../../../src/service/list/observed-deployment.ts';
import { decodeDeployment } from '../../../../src/wire/decode.ts';
import type { WireJson } from '../../../../src/wire/wire-json.ts';
import { DEPLOYMENT_STATUS } from '../../../api/full-status.ts';
import { World } from '../../../reconcile/support/world.ts';
import { aResource, aSituation, anObserved, NOW_MS, secretsOf } from '../../resources/builders.ts';
import { recordedResources } from '../../resources/recorded-statuses.ts';
import { must, type Target, type Targets, texts } from '../target.ts';
import { brokenTrees, otherLeaves } from '../inputs/trees.ts';

const CRD = join(import.meta.dirname, '..', '..', '..', '..', 'crds', 'deployments.yaml');
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly status: object } } };
    }[];
  };
}

/** Returns the statuses that the API server accepts. */
function statusSchema(): object {
  const { spec } = parse(readFileSync(CRD, 'utf8')) as Definition;
  return spec.versions[0]?.schema.openAPIV3Schema.properties.status ?? {};
}

const ajv = new Ajv({ strict: false });
ajv.addFormat('date-time', (text) => TIME.test(text) && !Number.isNaN(Date.parse(text)));
for (const name of ['int32', 'int64']) ajv.addFormat(name, true);
const isStatus = ajv.compile<DeploymentStatus>(statusSchema());

const ITEM = {
  id: '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f',
  name: 'support-agent',
  source: 'external_container',
  source_config: {
    custom_url: 'https://a',
    resource_spec: { cpu: 1, labels: { a: 'b' }, volumes: [{ name: 'v' }] },
  },
  source_revision_config: { image_uri: 'a:1' },
  secrets: [{ name: 'A', value: 'masked' }],
  tenant_id: '0c9d0d5e-0000-4000-8000-000000000001',
  status: 'READY',
  latest_revision_id: 'rev-1',
  active_revision_id: 'rev-1',
};

const SPEC = {
  sourceConfig: {
    customURL: 'https://b',
    resourceSpec: { cpu: 2, labels: { a: 'c' }, volumes: [{ name: 'v', emptyDir: {} }] },
  },
  sourceRevisionConfig: { imageURI: 'a:2' },
  secrets: [{ name: 'A', value: 'b' }],
  deletionPolicy: 'Delete' as const,
};

const STATUSES = [DEPLOYMENT_STATUS, ...recordedResources().map(({ resource }) => resource.status ?? {})];

function observationOf(item: unknown): Observation {
  const wire = decodeDeployment(item as WireJson, sealed);
  return wire === undefined
    ? { kind: 'absent', proven: false, beganMs: NOW_MS }
    : { kind: 'present', deployment: observedDeployment(wire), beganMs: NOW_MS, via: 'list' };
}

const decisions: Target = {
  whole: STATUSES.map((status) => Buffer.from(JSON.stringify({ status, item: ITEM }))),
  isJSON: true,
  frames: [
    (huge) => `{"status":{},"item":${huge}}`,
    (huge) =>
      `{"status":{},"item":{"id":"a","name":"support-agent","source_config":{"resource_spec":{"volumes":${huge}}},"secrets":${huge}}}`,
  ],
  more: fc
    .tuple(
      otherLeaves(STATUSES.map((status) => Buffer.from(JSON.stringify(status)))),
      brokenTrees(texts(JSON.stringify(ITEM))),
      fc.boolean(),
    )
    .map(([status, item, deleting]) =>
      Buffer.from(`{"status":${String(status)},"item":${String(item)},"deleting":${deleting}}`),
    ),
  read: (input) => {
    const { deleting, item, status } = parsed(input);
    if (item === undefined || !isStatus(status)) return [];
    const observation = observationOf(item);
    const resource = aResource(SPEC, { status, deleting: deleting === true });
    const secrets = secretsOf({ A: 'b' });
    const situation = aSituation(resource, anObserved(), { observation, secrets });
    const decided = makePlan(situation);
    const { plan } = decided;
    const writes = plan.kind === 'patch' || plan.kind === 'create' || plan.kind === 'delete';
    must(observation.kind === 'present' || !writes, `what cannot be read has decided a ${plan.kind}`);
    const outcome = {
      kind: 'settled',
      reason: 'InSync',
      message: 'message' in plan ? plan.message : '',
    } as const;
    const next = nextStatus({ resource, current: status, situation, decided, outcome, nowMs: NOW_MS });
    return (next.conditions ?? []).map(({ message }) => message);
  },
};

/** A spec that permits every request of a pass, whatever it reads. */
const CREATED = { creation: { policy: 'IfMissing' }, deletionPolicy: 'Delete' } as const;

const lists: Target = {
  whole: texts(
    JSON.stringify({ resources: [ITEM], offset: 0 }),
    JSON.stringify({ resources: [{ ...ITEM, id: 'other', name: 'other' }, ITEM], offset: 2 }),
  ),
  isJSON: true,
  frames: [],
  read: async (input) => {
    const body = input.toString();
    const world = new World({ started: false });
    world.fault({ kind: 'status', status: 200, body }, { match: { operation: 'list' }, times: 0 });
    world.apply({ ...SPEC, ...CREATED });
    world.start();
    await world.pass(200);
    world.kill();
    const writes = world.service.log.requests().filter(({ method }) => method !== 'GET');
    must(
      writes.length === 0 || mayDecide(body),
      `a list that cannot be used has decided ${writes[0]?.method}`,
    );
    must(world.logger.messages('error').length === 0, `an error: ${world.logger.messages('error')[0]}`);
    return (world.status().conditions ?? []).map(({ message }) => message);
  },
};

/** True if the list shows the deployment, or if all of it can be read and the deployment is missing. */
function mayDecide(text: string): boolean {
  try {
    const { items, malformed } = pageOf({ status: 200, headers: {}, text });
    return malformed.length === 0 || items.some(({ name }) => name === ITEM.name);
  } catch (error) {
    if (error instanceof ConnectionError) return false;
    throw error;
  }
}

function parsed(input: Buffer): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(input.toString());
    return isJsonObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** Decisions from statuses and answers. */
export const TARGETS: Targets<'decisions'> = { decision: decisions, 'list-that-decides': lists };
