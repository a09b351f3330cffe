import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Event } from '../../model/outcome/event.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { LogFields } from '../../ports/process/logger.ts';
import type { SimulatedService } from '../../simulator/server/simulated-service.ts';

/** Who watches the demo. */
export interface DemoListener {
  /** A step of the story begins. */
  step(title: string, detail: string): void;
  /** The controller wrote an event about a resource. */
  event(name: string, event: Event): void;
  /** The controller wrote a log line. */
  log(message: string, fields: LogFields): void;
  /** A PATCH arrived at the service, with secret values left out. */
  request(path: string, body: unknown): void;
}

/** Where the story plays. */
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
  /** The condition to wait for, in words for the person who watches when it does not come true. */
  readonly expect: string;
  readonly until: (world: DemoWorld) => boolean;
}

/** By the demo's own clock; a drift is seen only when the list can no longer lag behind our last write. */
const STEP_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 500;

const AGENT = 'support-agent';

const DECLARED_IMAGE = 'registry.example.com/support-agent:1.5.0';

const SILENCE_MS = 15_000;

const STORY: readonly Step[] = [
  {
    title: 'Two deployments that were made by hand are declared in manifests',
    detail: 'the controller binds them by name, compares, and sends what differs',
    expect: 'both resources become Ready',
    until: (world) => world.list().length === 2 && world.list().every(isReady),
  },
  {
    title: 'A new image is committed: 1.4.0 -> 1.5.0',
    detail: 'one PATCH; the revision it makes is followed until it is active',
    act: (world) => edit(world, 'support-agent:1.4.0', 'support-agent:1.5.0'),
    expect: 'revision with image 1.5.0 becomes active',
    until: (world) => imageOf(world) === DECLARED_IMAGE && isSettled(world, 2),
  },
  {
    title: 'Somebody changes the image in the web console, behind our back',
    detail: 'the next sweep of the list shows it; drift is corrected once',
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
    title: 'The API token is rotated in its Secret',
    detail: 'a service may mask values, so the change is seen from our side',
    act: (world) => edit(world, 'demo-token', 'demo-token-rotated'),
    expect: 'the service holds the new token',
    until: (world) => holdsToken(world, 'demo-token-rotated') && isSettled(world, 2),
  },
  {
    title: 'Nothing changes any more',
    detail: 'several polls pass, and nothing is sent',
    act: expectSilence,
    expect: 'both resources stay Ready',
    until: (world) => isSettled(world, 2),
  },
];

/** Plays the story and tells the listener; throws at the first thing that did not happen. */
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

/** Describes why some resources are not Ready: with some services that is the right end, and the reason says so. */
function stoppedWith(world: DemoWorld): string {
  const told = world.list().flatMap((resource) => {
    const synced = resource.status?.conditions?.find(({ type }) => type === 'Synced');
    if (synced === undefined || isReady(resource)) return [];
    return [`\n  ${resource.metadata.name} says ${synced.reason}: ${synced.message}`];
  });
  return told.length === 0 ? '' : `${told.join('')}\nWhat a reason means and asks for: docs/conditions.md`;
}

/** Tells the PATCH requests that the service has answered since the last call. */
export function requestTeller(
  service: SimulatedService,
  listener: Pick<DemoListener, 'request'>,
): () => void {
  let told = 0;
  return () => {
    for (const { number, operation, path, body, endedMs } of service.log.since(told)) {
      if (endedMs === undefined) return;
      told = number;
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

/** As it was asked for, and with no write under way of which that is not known yet. */
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

/** Throws when anything is written meanwhile. */
async function expectSilence({ service, clock }: DemoWorld): Promise<void> {
  const before = service.log.count('patch');
  await clock.sleep(SILENCE_MS);
  const more = service.log.count('patch') - before;
  if (more > 0) throw new Error(`${more} PATCH without a change of anything`);
}

/** A request body as it may be shown: names of secrets, no values. */
function withoutValues(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key: string, value: unknown) =>
      key === 'secrets' && Array.isArray(value)
        ? value.map((secret: unknown) => ({ ...(secret as object), value: '[redacted]' }))
        : value,
    ) ?? 'null',
  );
}
