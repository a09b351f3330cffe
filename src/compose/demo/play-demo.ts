import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Event } from '../../model/outcome/event.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { LogFields } from '../../ports/process/logger.ts';
import type { SimulatedService } from '../../simulator/server/simulated-service.ts';

/** Receives the events of the demo as they happen. */
export interface DemoListener {
  /** Called when a step of the story begins. */
  step(title: string, detail: string): void;
  /** Called when the controller wrote an event about a resource. */
  event(name: string, event: Event): void;
  /** Called when the controller wrote a log line. */
  log(message: string, fields: LogFields): void;
  /** Called when a PATCH arrived at the service; `body` has no secret values. */
  request(path: string, body: unknown): void;
}

/** The parts that the steps of the demo read and change. */
export interface DemoWorld {
  readonly folder: string;
  readonly service: SimulatedService;
  readonly clock: Clock;
  readonly list: () => readonly DeploymentResource[];
}

interface Step {
  readonly title: string;
  readonly detail: string;
  readonly act?: (world: DemoWorld) => Promise<void> | void;
  /** Describes the condition `until`, for the error message if it does not come true. */
  readonly expect: string;
  readonly until: (world: DemoWorld) => boolean;
}

/**
 * The time limit of a step by the demo's clock. Drift becomes visible only when the list can no longer lag behind our
 * last write.
 */
const STEP_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 500;

const AGENT = 'support-agent';

const DECLARED_IMAGE = 'registry.example.com/support-agent:1.5.0';

const SILENCE_MS = 15_000;

const STORY: readonly Step[] = [
  {
    title: 'Manifests declare two deployments that exist at the service',
    detail: 'the controller finds them by name, compares them with the manifests, and sends the differences',
    expect: 'both resources become Ready',
    until: (world) => world.list().length === 2 && world.list().every(isReady),
  },
  {
    title: 'A commit changes the image: 1.4.0 -> 1.5.0',
    detail: 'the controller sends one PATCH and watches the new revision until it is active',
    act: (world) => edit(world, 'support-agent:1.4.0', 'support-agent:1.5.0'),
    expect: 'revision with image 1.5.0 becomes active',
    until: (world) => imageOf(world) === DECLARED_IMAGE && isSettled(world, 2),
  },
  {
    title: 'Somebody changes the image in the web console of the service',
    detail: 'the next read of the list shows the drift, and the controller corrects it once',
    act: ({ service }) => {
      const path = 'source_revision_config.image_uri';
      service.act({
        kind: 'edit',
        deployment: AGENT,
        path,
        value: 'registry.example.com/support-agent:0.9-debug',
      });
    },
    expect: 'the declared image comes back',
    until: (world) => imageOf(world) === DECLARED_IMAGE && isSettled(world, 2),
  },
  {
    title: 'Somebody rotates the API token in its Secret',
    detail: 'services may mask secrets, so the controller compares with digests of the values that it sent',
    act: (world) => edit(world, 'demo-token', 'demo-token-rotated'),
    expect: 'the service holds the new token',
    until: (world) => holdsToken(world, 'demo-token-rotated') && isSettled(world, 2),
  },
  {
    title: 'Nothing changes any more',
    detail: 'the controller polls several times and sends nothing',
    act: expectSilence,
    expect: 'both resources stay Ready',
    until: (world) => isSettled(world, 2),
  },
];

/** Plays the steps in order and calls the listener. Throws if the condition of a step does not come true in time. */
export async function playDemo(
  world: DemoWorld,
  { listener, tellRequests }: { readonly listener: DemoListener; readonly tellRequests: () => void },
  signal: AbortSignal,
): Promise<void> {
  for (const step of STORY) {
    listener.step(step.title, step.detail);
    await step.act?.(world);
    const endMs = world.clock.now() + STEP_LIMIT_MS;
    while (!step.until(world)) {
      if (world.clock.now() > endMs)
        throw new Error(
          `did not happen within ${STEP_LIMIT_MS / 1000} s of its clock: ${step.expect}${stoppedWith(world)}`,
        );
      await world.clock.sleep(LOOK_EVERY_MS, signal);
      tellRequests();
    }
  }
}

/** Describes why some resources are not Ready. With some services that is the expected end, and the reason says so. */
function stoppedWith(world: DemoWorld): string {
  const reports = world.list().flatMap((resource) => {
    const synced = resource.status?.conditions?.find(({ type }) => type === 'Synced');
    if (synced === undefined || isReady(resource)) return [];
    return [`\n  ${resource.metadata.name} says ${synced.reason}: ${synced.message}`];
  });
  return reports.length === 0
    ? ''
    : `${reports.join('')}\ndocs/conditions.md explains each reason and what to do.`;
}

/** Returns a function that reports the PATCH requests which the service has answered since its last call. */
export function requestTeller(
  service: SimulatedService,
  listener: Pick<DemoListener, 'request'>,
): () => void {
  let reported = 0;
  return () => {
    for (const { number, operation, path, body, endedMs } of service.log.since(reported)) {
      if (endedMs === undefined) return;
      reported = number;
      if (operation === 'patch') listener.request(path, withoutValues(body));
    }
  };
}

/** Replaces a text in the manifest of the agent. */
async function edit({ folder }: DemoWorld, from: string, to: string): Promise<void> {
  const file = `${AGENT}.yaml`;
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} of the demo does not contain ${from}`);
  await writeFile(path, text.replaceAll(from, to));
}

/** Returns whether a resource is Ready and Synced at its current generation, with no write under way. */
function isReady({ status, metadata }: DeploymentResource): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status?.pendingWrite === undefined &&
    ['Ready', 'Synced'].every(
      (type) => status?.conditions?.some((c) => c.type === type && c.status === 'True') ?? false,
    )
  );
}

function isSettled(world: DemoWorld, count: number): boolean {
  return world.list().filter(isReady).length === count;
}

function imageOf({ service }: DemoWorld): unknown {
  return service.deployment(AGENT)?.content.revisionConfig['image_uri'];
}

function holdsToken({ service }: DemoWorld, token: string): boolean {
  const secrets = service.deployment(AGENT)?.content.secrets ?? [];
  return secrets.some(({ name, value }) => name === 'API_TOKEN' && value === token);
}

/** Waits a while, and throws if the controller sends a PATCH meanwhile. */
async function expectSilence({ service, clock }: DemoWorld): Promise<void> {
  const before = service.log.count('patch');
  await clock.sleep(SILENCE_MS);
  const more = service.log.count('patch') - before;
  if (more > 0) throw new Error(`the controller sent ${more} PATCH although nothing had changed`);
}

/** Returns a request body with the names of secrets and without their values. */
function withoutValues(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key: string, value: unknown) =>
      key === 'secrets' && Array.isArray(value)
        ? value.map((secret: unknown) => ({ ...(secret as object), value: '[redacted]' }))
        : value,
    ) ?? 'null',
  );
}
