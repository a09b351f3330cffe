import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import {
  OPENAPI_PATH,
  type SchemaFit,
  schemaFitOf,
} from '../../../src/kubernetes/stores/installed-schemas.ts';
import { LIVE_AGENT, NEXT_AGENT } from '../../support/resources/agent.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import {
  type EditedSchema,
  fieldOf,
  withEditedCRD,
  withoutField,
} from '../../support/control-plane/crd-edits.ts';
import { inAWorld } from '../../support/worlds/e2e-world.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const cluster = useOwnControlPlane();
const start = useClusterWorlds(cluster);
const OLDER = 'the installed CRDs are older than this controller';

/**
 * The API server describes a changed CRD some seconds later, and the controller looks for it some seconds after that.
 */
const LIMIT_MS = 150_000;

const ANNOUNCED: DeploymentStatus = {
  observedGeneration: 1,
  pendingWrite: {
    operation: 'Patch',
    bodyDigest: 'abc',
    paths: ['sourceRevisionConfig.imageURI'],
    generation: 1,
    time: '2026-11-20T10:00:00.000Z',
    attempt: 1,
  },
};

beforeAll(() => cluster().installCRDs());

const undone: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const undo of undone.splice(0)) await undo();
  await described({ missing: [], unknown: [] });
});

async function edited(
  edit: (schema: EditedSchema) => void,
  plural = 'deployments',
): Promise<() => Promise<void>> {
  const undo = await withEditedCRD(cluster(), plural, edit);
  undone.push(undo);
  return undo;
}

/** Resolves when the API server describes our kinds this way, which takes seconds after a change of a CRD. */
async function described(fit: Partial<SchemaFit>): Promise<void> {
  const now = async (): Promise<SchemaFit | undefined> =>
    schemaFitOf((await cluster().request('GET', OPENAPI_PATH)).json);
  await expect.poll(now, { timeout: 20_000, interval: 200 }).toMatchObject(fit);
}

/** Creates a resource and returns it as the store knows it. */
async function aResource(world: ClusterWorld) {
  await world.create('agent');
  await world.adapter.start(new AbortController().signal);
  await world.caughtUp();
  const found = await world.adapter.deploymentStore.get(world.key('agent'));
  if (found === undefined) throw new Error('it should be there');
  return found;
}

/** Resolves when the API server applies the replaced CRD. */
async function strictlyRefused(world: ClusterWorld): Promise<void> {
  const path = `${world.deployments('agent')}/status?fieldValidation=Strict&dryRun=All`;
  const attempt = async (): Promise<number> =>
    (await cluster().request('PATCH', path, { status: ANNOUNCED }, 'application/merge-patch+json')).status;
  await expect.poll(attempt, { timeout: 20_000 }).toBe(422);
}

describe('an announcement that the API server would not keep whole', () => {
  it.each(['status.pendingWrite', 'status.pendingWrite.attempt', 'status.pendingWrite.paths'])(
    'is refused and leaves nothing behind if %s disappears while the controller runs',
    async (field) => {
      const world = await start();
      const resource = await aResource(world);
      await edited((schema) => withoutField(schema, field));
      await strictlyRefused(world);
      const store = world.adapter.deploymentStore;
      const reason = async (): Promise<string> =>
        await store.announce(resource, ANNOUNCED).then(
          (written) => `announced ${JSON.stringify(written)}`,
          (error: unknown) => String(error),
        );

      expect(await reason()).toBe(
        'ApiError: the API server does not accept the announcement of a write unchanged (422 Invalid); nothing was sent',
      );
      await expect.poll(reason, { timeout: 20_000 }).toContain(`${OLDER}: they lack Deployment.${field};`);
      const { status } = (await world.api('GET', world.deployments('agent'))) as { status: DeploymentStatus };
      expect(status.pendingWrite).toBeUndefined();
      const told = world.logger.lines.filter(({ message }) => message.startsWith(OLDER));
      expect(told).toEqual([expect.objectContaining({ level: 'warn' })]);
    },
  );

  it('is repeated when the CRDs of this release are installed', async () => {
    const world = await start();
    const undo = await edited((schema) => withoutField(schema, 'status.applied'));
    await described({ missing: ['Deployment.status.applied'] });
    const resource = await aResource(world);
    await expect(world.adapter.deploymentStore.announce(resource, ANNOUNCED)).rejects.toThrow(OLDER);
    await undo();
    const again = () => world.adapter.deploymentStore.announce(resource, ANNOUNCED).catch(() => undefined);
    await expect.poll(again, { timeout: 30_000, interval: 500 }).toMatchObject({ status: ANNOUNCED });
  });

  it('does not prevent the outcome of a write from being recorded as far as possible', async () => {
    const world = await start();
    const resource = await aResource(world);
    await edited((schema) => withoutField(schema, 'status.lastPatch'));
    const status: DeploymentStatus = {
      observedGeneration: 1,
      name: 'agent',
      lastPatch: { time: '2026-11-20T10:00:00.000Z', outcome: 'Applied', paths: ['labels'] },
    };
    const save = () => world.adapter.deploymentStore.saveStatus(resource, status, { mustLand: true });
    await expect.poll(save).toMatchObject({ status: { name: 'agent' } });
  });
});

describe('a controller that is newer than the CRDs', () => {
  it.each([
    ['deployments', 'Deployment', 'status.pendingWrite'],
    ['clusterconnections', 'ClusterConnection', 'spec.allowedNames'],
  ])(
    'sends nothing, says why, and continues once they are applied: %s without %s.%s',
    async (plural, kind, field) => {
      const undo = await edited((schema) => withoutField(schema, field), plural);
      await described({ missing: [`${kind}.${field}`] });
      await inAWorld(cluster(), { deployments: [LIVE_AGENT] }, async (world) => {
        await world.operator.said(`${OLDER}, which sends nothing`);
        await world.apply(NEXT_AGENT);
        await world.untilReason('agent', 'Retrying');
        const synced = await world.kubectl(
          'get',
          'dmsd/agent',
          '-o',
          'jsonpath={.status.conditions[?(@.type=="Synced")].message}',
        );
        expect(synced).toBe(
          `${OLDER}: they lack ${kind}.${field}; the controller sends nothing until newer ones are applied`,
        );
        await world.sweeps(2);
        expect(world.patches()).toEqual([]);

        await undo();
        await world.untilReason('agent', 'InSync', 60_000);
        expect(world.patches()).toHaveLength(1);
        const told = world.operator.lines.filter(
          (line) => line.includes(OLDER) && line.includes('which sends nothing'),
        );
        expect(told).toHaveLength(1);
      });
    },
    LIMIT_MS,
  );
});

describe('a controller that is older than the CRDs', () => {
  it('works, and keeps unknown fields', async () => {
    await edited((schema) => {
      for (const field of ['spec', 'status'])
        Object.assign(fieldOf(schema, field).properties ?? {}, { ofTomorrow: { type: 'string' } });
    });
    await described({ unknown: ['Deployment.spec.ofTomorrow', 'Deployment.status.ofTomorrow'] });
    await inAWorld(cluster(), { deployments: [LIVE_AGENT] }, async (world) => {
      await world.operator.said('the installed CRDs are newer than this controller');
      await world.apply(`${NEXT_AGENT}  ofTomorrow: kept`);
      await world.untilReason('agent', 'InSync');
      const change = '{"status":{"ofTomorrow":"kept"}}';
      await world.kubectl('patch', 'dmsd/agent', '--subresource=status', '--type=merge', '-p', change);
      await world.kubectl(
        'patch',
        'dmsd/agent',
        '--type=merge',
        '-p',
        '{"spec":{"sourceRevisionConfig":{"imageURI":"registry.example.com/agent:3"}}}',
      );
      await world.until('the second write', () => world.patches().length === 2);
      await world.untilReason('agent', 'InSync');

      const { spec, status } = await world.get('agent');
      expect({ spec, status }).toMatchObject({
        spec: { ofTomorrow: 'kept' },
        status: { ofTomorrow: 'kept' },
      });
    });
  });
});
