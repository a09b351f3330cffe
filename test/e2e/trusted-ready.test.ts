import { describe, test } from 'vitest';
import type { DeploymentResource } from '../../src/api/deployment.ts';
import type { Fault } from '../../src/simulator/faults/scenario.ts';
import { agentManifest } from '../support/resources/agent.ts';
import { inAWorld, type World } from '../support/worlds/e2e-world.ts';
import { useGoProgram } from '../support/programs/go-program.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const kstatus = useGoProgram('kstatus');
const imageOf = (version: number): string => `registry.example.com/agent:${version}`;

/** The duration of the obstacle at the service. */
const HINDERED_MS = 20_000;
const LIMIT_MS = 240_000;

/** An obstacle to an edit. */
interface Hindrance {
  readonly what: string;
  readonly begin: (world: World) => Promise<void>;
  readonly end: (world: World) => Promise<void>;
  readonly synced: string;
  /** The duration after it appeared in the status. */
  readonly lastsMs: number;
}

const answering = (fault: Fault): Pick<Hindrance, 'begin' | 'end'> => ({
  begin: async (world) => world.service.faults.add({ match: {}, times: 0, fault }),
  end: async (world) => world.service.faults.clear(),
});

const HINDRANCES: readonly Hindrance[] = [
  {
    what: 'the service answers 429',
    ...answering({ kind: 'status', status: 429, headers: { 'Retry-After': '5' } }),
    synced: 'ConnectionNotReady',
    lastsMs: HINDERED_MS,
  },
  {
    what: 'the service answers 503',
    ...answering({ kind: 'status', status: 503 }),
    synced: 'ConnectionNotReady',
    lastsMs: HINDERED_MS,
  },
  {
    what: 'the connection is missing',
    begin: async (world) => {
      await world.kubectl('delete', 'dmsc/default');
    },
    end: (world) => world.applyConnection(),
    synced: 'ConnectionNotFound',
    lastsMs: 2_000,
  },
  {
    what: 'the resource is paused',
    begin: async (world) => {
      await world.kubectl('annotate', 'dmsd/agent', 'dms-operator.dev/paused=true');
    },
    end: async (world) => {
      await world.kubectl('annotate', 'dmsd/agent', 'dms-operator.dev/paused-');
    },
    synced: 'Paused',
    lastsMs: 2_000,
  },
];

/** True if the newest generation is reported as Ready. */
function isReady({ metadata, status }: DeploymentResource): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

// Each of them waits most of the time, so they run at the same time.
describe.concurrent('an edit while', () => {
  test.for(HINDRANCES)(
    '$what: kubectl wait and kstatus see it Ready only after the PATCH (K1)',
    { timeout: LIMIT_MS },
    async ({ begin, end, synced, lastsMs }, { expect }) => {
      const deployments = [{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }];
      await inAWorld(plane(), { rolloutSeconds: 0, deployments }, async (world) => {
        const accepted = (): number => world.patches().filter(({ status }) => status === 200).length;
        await world.apply(agentManifest(1));
        await world.kubectl('wait', '--for=condition=Ready', 'dmsd/agent', '--timeout=60s');
        expect(accepted()).toBe(0);

        await begin(world);
        // A problem of the connection is shown only there, until an edit has to wait for it (R16).
        const isShownAtRest = synced !== 'ConnectionNotReady';
        if (isShownAtRest) await world.untilReason('agent', synced, 60_000);
        await world.apply(agentManifest(2));
        if (!isShownAtRest) await world.untilReason('agent', synced, 60_000);
        let acceptedBeforeReady: number | undefined;
        const waiting = world
          .kubectl('wait', '--for=condition=Ready', 'dmsd/agent', '--timeout=180s')
          .then(() => {
            acceptedBeforeReady = accepted();
          });
        const untilMs = Date.now() + lastsMs;
        await world.until(
          'the hindrance has lasted',
          async () => {
            const resource = await world.get('agent');
            expect(accepted(), 'it stands in the way').toBe(0);
            expect(isReady(resource), JSON.stringify(resource.status?.conditions)).toBe(false);
            expect(await kstatus([resource])).toEqual(['InProgress']);
            expect(acceptedBeforeReady, 'kubectl wait has not returned').toBeUndefined();
            return Date.now() > untilMs;
          },
          lastsMs + 30_000,
        );
        await end(world);
        await waiting;
        expect(acceptedBeforeReady).toBe(1);
        const resource = await world.get('agent');
        expect(isReady(resource)).toBe(true);
        expect(await kstatus([resource])).toEqual(['Current']);
      });
    },
  );
});
