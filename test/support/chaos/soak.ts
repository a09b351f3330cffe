import { seededRandom } from '../chance.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../fault-proxy/fault-proxy.ts';
import type { Act } from './actors.ts';
import type { Cluster } from './cluster.ts';
import type { MakeControllers } from './controllers.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Observer, startObserver } from './judging/observer.ts';
import { type Result, tally, type Tell } from './report.ts';
import { broughtToRest } from './judging/rest.ts';
import { strikeUntil } from './strikes.ts';
import { leaks } from './judging/told-by-processes.ts';
import { connectionWrongs, Vitals } from './judging/vitals.ts';

/** The duration and the size of a soak. */
export interface SoakOptions {
  readonly plane: ControlPlane;
  /** The program of a bundle. */
  readonly program: string;
  readonly seed: number;
  readonly seconds: number;
  readonly resources: number;
  readonly controllers: MakeControllers;
  /** Whether to include faults that take a minute to notice or to verify: silent connections, and edits by hand. */
  readonly patient: boolean;
  /** The mean time until a controller is killed or frozen, and then the next one. */
  readonly killEveryMs?: number;
  /** The part of the run, in its beginning, in which processes are killed and Leases disturbed; by default a half. */
  readonly killingPart?: number;
}

const ACTS = [
  ...['edit', 'edit', 'edit', 'edit', 'rotate', 'rotate', 'replace-secret', 'annotate', 'annotate'],
  ...['connection', 'create', 'create', 'delete'],
] as const satisfies readonly Act[];
const PATIENT_ACTS = [...ACTS, 'by-hand', 'by-hand'] as const satisfies readonly Act[];
const LONGEST_PAUSE_MS = 600;
/** The proportion of requests to the API server that meet a fault, in addition to struck watches. */
const FAULT_RATE = 0.04;
const KILL_EVERY_MS = 25_000;
/** Longer than the duration of a Lease, so that another replica takes over from a frozen one. */
const FREEZE_MS = 25_000;
/** In the last part of the run no process is killed and no Lease disturbed, so that growing memory is visible. */
const KILLING_PART = 0.5;
/** A silent watch is aborted after 75 s. Then follow request timeout, consistency window and one more write. */
const SETTLES_WITHIN_MS = 240_000;
const LEAKS_EVERY_S = 15;

/**
 * Causes random faults between controllers and API server while people edit without a pause and controllers are killed
 * now and then. Then waits until all is at rest, and reports what went wrong: caches, service, lost events,
 * connections, memory.
 */
export async function soak(options: SoakOptions, tell: Tell): Promise<Result> {
  const harness = await startHarness({ ...options, acts: options.patient ? PATIENT_ACTS : ACTS });
  const observerProxy = await startFaultProxy(options.plane);
  let observer: Observer | undefined;
  try {
    observer = await startObserver(harness.cluster, observerProxy);
    return await soaked(
      { harness, observer, observerProxy, vitals: new Vitals(harness.replicas) },
      options,
      tell,
    );
  } finally {
    await observer?.stop();
    await observerProxy.stop();
    await harness.end();
  }
}

/** The parts that a soak observes. */
interface Watched {
  readonly harness: Harness;
  readonly observer: Observer;
  readonly observerProxy: FaultProxy;
  readonly vitals: Vitals;
}

async function soaked(watched: Watched, options: SoakOptions, tell: Tell): Promise<Result> {
  const { harness, observer, observerProxy, vitals } = watched;
  const startedMs = Date.now();
  const { killsMs, wrongs } = await underFaults(watched, options, tell);
  const rest = await broughtToRest(harness, {
    withinMs: SETTLES_WITHIN_MS,
    alsoUnequal: () => observer.unequal(),
    tell,
  });
  await vitals.sample();
  const { connections } = await harness.service.state();
  const proxies = [...harness.replicas.map(({ proxy }) => proxy), observerProxy];
  return {
    wrongs: [
      ...wrongs,
      ...(observer.lost > 0 ? [`${observer.lost} events were lost by the caches in this process`] : []),
      ...(vitals.lost > 0 ? [`${vitals.lost} events were lost by controllers, as their metrics say`] : []),
      ...connectionWrongs(harness.replicas, connections),
      ...vitals.wrongs(),
      ...rest.wrongs,
    ],
    counts: {
      faults: tally(proxies.flatMap(({ log }) => log.faults.map(({ fault }) => fault.kind))),
      kills: killsMs.length,
      'starts that failed': tally(harness.replicas.flatMap(({ failedStarts }) => failedStarts)),
      'ends for a lost Lease': harness.replicas.reduce((sum, { lostLeases }) => sum + lostLeases, 0),
      'events lost': observer.lost + vitals.lost,
      ...proxyCounts(proxies),
      'most connections to the service': connections.most,
      'memory of the last life': vitals.text(),
      'slope of memory after 20 minutes': vitals.slopes(),
      ...rest.counts,
      seconds: Math.round((Date.now() - startedMs) / 1000),
    },
  };
}

interface Soaked {
  readonly killsMs: readonly number[];
  readonly wrongs: readonly string[];
}

/** Starts everything, and applies faults, kills and acts of people for the requested time. */
async function underFaults(
  { harness, observerProxy, vitals }: Watched,
  options: SoakOptions,
  tell: Tell,
): Promise<Soaked> {
  const { actors, cluster, replicas } = harness;
  const proxies = [...replicas.map(({ proxy }) => proxy), observerProxy];
  const [killsMs, wrongs]: [number[], string[]] = [[], []];
  const stop = new AbortController();
  await actors.createAll();
  const startedMs = Date.now();
  const calmMs = startedMs + (options.killingPart ?? KILLING_PART) * options.seconds * 1000;
  for (const replica of replicas) replica.start();
  const around = Promise.all([
    actors.actUntil(stop.signal, LONGEST_PAUSE_MS),
    vitals.followUntil(stop.signal),
    strikeUntil(stop.signal, proxies, {
      ...{ seed: options.seed, silences: options.patient, rate: FAULT_RATE },
      sparesLeases: () => options.patient && Date.now() > calmMs,
    }),
    killUntil(stop.signal, harness, { ...options, killsMs, vitals, calmMs }),
    lookForLeaksUntil(stop.signal, cluster, wrongs),
  ]);
  around.catch(() => stop.abort());
  const endMs = startedMs + options.seconds * 1000;
  try {
    while (Date.now() < endMs && !stop.signal.aborted) {
      await waited(500);
      await harness.service.refresh();
      wrongs.push(...replicas.flatMap((replica) => replica.revive() ?? []));
      const faults = proxies.reduce((sum, { log }) => sum + log.faults.length, 0);
      const seconds = Math.round((Date.now() - startedMs) / 1000);
      tell(
        `${seconds} s of ${options.seconds}, ${actors.done.length} acts, ${faults} faults, ${killsMs.length} kills`,
      );
    }
  } finally {
    stop.abort();
    for (const { clearPlans } of proxies) clearPlans();
  }
  await around;
  return { killsMs, wrongs };
}

async function lookForLeaksUntil(stopped: AbortSignal, cluster: Cluster, wrongs: string[]): Promise<void> {
  for (let second = 1; !stopped.aborted; second += 1) {
    await waited(1_000);
    if (second % LEAKS_EVERY_S === 0) wrongs.push(...(await leaks(cluster)));
  }
}

function proxyCounts(proxies: readonly FaultProxy[]): Result['counts'] {
  const counts = proxies.flatMap(({ log }) => Object.entries(log.requestCounts()));
  const sum = (start: string): number =>
    counts.reduce((total, [kind, count]) => total + (kind.startsWith(start) ? count : 0), 0);
  return {
    'lists and watches': `${sum('list ')} and ${sum('watch ')}`,
    'most connections to the API server': Math.max(...proxies.map(({ log }) => log.mostConnections)),
    'most watches of one kind begun within 10 s': Math.max(
      ...proxies.map(({ log }) => log.mostWatchStarts(10_000)),
    ),
  };
}

interface Killing extends Pick<SoakOptions, 'killEveryMs' | 'seed'> {
  /** The time at which the killing ends. */
  readonly calmMs: number;
  readonly killsMs: number[];
  readonly vitals: Vitals;
}

/** Kills one controller now and then, and restarts it. If there are others, freezes one as often. */
async function killUntil(
  stopped: AbortSignal,
  { replicas }: Harness,
  { killsMs, seed, vitals, calmMs, killEveryMs = KILL_EVERY_MS }: Killing,
): Promise<void> {
  const random = seededRandom(seed + 2);
  let nextMs = Date.now() + killEveryMs / 2;
  while (!stopped.aborted && nextMs < calmMs) {
    await waited(100);
    if (Date.now() < nextMs) continue;
    const replica = replicas[Math.floor(random() * replicas.length)]!;
    await vitals.sample();
    if (replicas.length > 1 && random() < 0.5) await replica.freeze(FREEZE_MS);
    else {
      killsMs.push(await replica.kill());
      replica.start();
    }
    nextMs = Date.now() + killEveryMs * (0.5 + random());
  }
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
