import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { oneOf, type Random } from '../chance.ts';
import type { Act } from './actors.ts';
import type { Replica } from './replica.ts';
import type { Harness } from './harness.ts';

/** The moment of a kill. */
type Moment =
  | { readonly kind: 'any-time' }
  /** While the process starts. */
  | { readonly kind: 'starting' }
  /** A status was sent to the API server, with an announcement or a record. */
  | { readonly kind: 'status' }
  /** A write reached the service, which has not carried it out yet, but will. */
  | { readonly kind: 'arrived'; readonly operation: Write }
  /** A write had its effect, and will not be answered. */
  | { readonly kind: 'applied'; readonly operation: Write };

/** A completed kill. */
export interface Kill {
  readonly atMs: number;
  readonly replica: string;
  /** The moment, such as `create applied`; `any time` if the awaited moment did not come. */
  readonly moment: string;
  /** Writes that the service had received and not answered, such as `patch with secrets`. */
  readonly underWay: readonly string[];
}

const WRITES = ['create', 'patch', 'delete'] as const;
type Write = (typeof WRITES)[number];

/** Acts of people that cause a write of the operator. */
const CAUSES: Readonly<Record<Write, readonly [Act, ...Act[]]>> = {
  create: ['create'],
  patch: ['edit', 'rotate', 'replace-secret'],
  delete: ['delete'],
};

const MOMENTS: readonly [Moment, ...Moment[]] = [
  { kind: 'any-time' },
  { kind: 'any-time' },
  { kind: 'starting' },
  { kind: 'status' },
  { kind: 'status' },
  ...WRITES.flatMap((operation): readonly Moment[] => [
    { kind: 'arrived', operation },
    { kind: 'applied', operation },
  ]),
];

/** The longest wait of a kill for its moment. After it, the process is killed anyway. */
const PATIENCE_MS = 3_000;
const LOOK_EVERY_MS = 15;
const STATUS = 'patch deployments/status';
/** The longest time between the moment and the kill. */
const LATE_MS = 60;
/** The longest delay of a request in the service. The request of a dead process is carried out, too. */
const LONGEST_DELAY_MS = 1_500;

/** Waits for a random moment, and then kills a controller at once with kill -9. */
export async function killAtAMoment(
  replica: Replica,
  { actors, random, service }: Pick<Harness, 'actors' | 'random' | 'service'>,
): Promise<Kill> {
  const moment = oneOf(random, MOMENTS);
  const late = Math.floor(random() * LATE_MS);
  const came = await untilMoment(moment, replica, { actors, random, service });
  await waited(late);
  const atMs = await replica.kill();
  await service.clearPlans();
  await service.refresh();
  return {
    atMs,
    replica: replica.name,
    moment: came ? nameOf(moment) : 'any time',
    underWay: service.requests.filter((request) => wasUnderWay(request, atMs)).map(described),
  };
}

/** Returns false if the awaited moment did not come. */
async function untilMoment(
  moment: Moment,
  replica: Replica,
  { actors, random, service }: Pick<Harness, 'actors' | 'random' | 'service'>,
): Promise<boolean> {
  switch (moment.kind) {
    case 'any-time':
      await ready(replica);
      await waited(random() * PATIENCE_MS);
      return true;
    case 'starting':
      await waited(random() * 500);
      return true;
    case 'status': {
      await ready(replica);
      const { log } = replica.proxy;
      // Chooses one of the next few status writes: the first one is often the end of earlier work.
      const wanted = log.count(STATUS) + 1 + Math.floor(random() * 4);
      return within(async () => log.count(STATUS) >= wanted);
    }
    case 'arrived':
    case 'applied': {
      await ready(replica);
      await service.refresh();
      const last = service.requests.at(-1)?.number ?? 0;
      await service.plan({ match: { operation: moment.operation }, fault: faultFor(moment.kind, random) });
      await actors.provoke(oneOf(random, CAUSES[moment.operation]));
      return within(async () => {
        await service.refresh();
        return service.requests.some(
          ({ number, operation }) => number > last && operation === moment.operation,
        );
      });
    }
  }
}

function faultFor(kind: 'arrived' | 'applied', random: Random): Fault {
  if (kind === 'applied') return { kind: 'apply-then-fail', how: 'hang' };
  return { kind: 'delay', ms: 200 + Math.floor(random() * (LONGEST_DELAY_MS - 200)) };
}

/** Waits until a replica is ready. A standby replica may not be ready for long, and is killed anyway. */
async function ready(replica: Replica): Promise<void> {
  await within(async () => replica.isReady);
}

async function within(came: () => Promise<boolean>): Promise<boolean> {
  const endMs = Date.now() + PATIENCE_MS;
  while (Date.now() < endMs) {
    if (await came()) return true;
    await waited(LOOK_EVERY_MS);
  }
  return false;
}

function wasUnderWay({ operation, beganMs, endedMs, delivery }: LoggedRequest, atMs: number): boolean {
  if (!WRITES.some((write) => write === operation) || beganMs > atMs) return false;
  return endedMs === undefined || endedMs > atMs || (delivery === 'hang' && atMs - beganMs < PATIENCE_MS);
}

function described({ operation, body }: LoggedRequest): string {
  const rotates = operation === 'patch' && typeof body === 'object' && body !== null && 'secrets' in body;
  return rotates ? 'patch with secrets' : operation;
}

function nameOf(moment: Moment): string {
  return 'operation' in moment ? `${moment.operation} ${moment.kind}` : moment.kind.replace('-', ' ');
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
