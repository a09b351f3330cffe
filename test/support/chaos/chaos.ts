import type { Act } from './actors.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { MakeControllers } from './controllers.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Kill, killAtAMoment } from './kills.ts';
import { type Result, tally, type Tell } from './report.ts';
import { broughtToRest } from './judging/rest.ts';
import { leaks } from './judging/told-by-processes.ts';

/** The amount of chaos. */
export interface ChaosOptions {
  readonly plane: ControlPlane;
  /** The program of a bundle. */
  readonly program: string;
  readonly seed: number;
  readonly kills: number;
  readonly resources: number;
  readonly controllers: MakeControllers;
  /** Whether actors also delete resources, which takes half a minute if the outcome of a creation is unknown. */
  readonly patient: boolean;
}

/** Mostly edits and rotations: a resource that is deleted at once causes no writes. */
const ACTS = [
  ...['edit', 'edit', 'edit', 'edit', 'edit', 'rotate', 'rotate', 'rotate'],
  ...['replace-secret', 'annotate', 'create', 'create'],
] as const satisfies readonly Act[];
const PATIENT_ACTS = [...ACTS, 'delete'] as const satisfies readonly Act[];
const LONGEST_PAUSE_MS = 250;
/** Request timeout and consistency window, then one more write and its reads, on a machine that also has other work. */
const SETTLES_WITHIN_MS = 150_000;
const LEAKS_EVERY = 20;

/**
 * Kills controllers with kill -9 at chosen moments while resources are created, edited, rotated and deleted. Then waits
 * until all is at rest, deletes every resource, and reports what went wrong.
 */
export async function chaos(options: ChaosOptions, tell: Tell): Promise<Result> {
  const harness = await startHarness({ ...options, acts: options.patient ? PATIENT_ACTS : ACTS });
  const startedMs = Date.now();
  try {
    const { kills, wrongs } = await killed(harness, options.kills, tell);
    const rest = await broughtToRest(harness, { withinMs: SETTLES_WITHIN_MS, tell });
    return {
      wrongs: [...wrongs, ...rest.wrongs],
      counts: {
        kills: `${kills.length}: ${tally(kills.map(({ moment }) => moment))}`,
        'writes under way at a kill': tally(kills.flatMap(({ underWay }) => underWay)),
        ...rest.counts,
        seconds: Math.round((Date.now() - startedMs) / 1000),
      },
    };
  } finally {
    await harness.end();
  }
}

interface Killed {
  readonly kills: readonly Kill[];
  readonly wrongs: readonly string[];
}

/** Starts everything, and kills one controller after the other while people act. */
async function killed(harness: Harness, times: number, tell: Tell): Promise<Killed> {
  const { actors, cluster, replicas, service } = harness;
  const stop = new AbortController();
  const kills: Kill[] = [];
  const wrongs: string[] = [];
  await actors.createAll();
  for (const replica of replicas) replica.start();
  const around = actors.actUntil(stop.signal, LONGEST_PAUSE_MS);
  around.catch(() => stop.abort());
  try {
    while (kills.length < times && !stop.signal.aborted) {
      const replica = replicas[kills.length % replicas.length]!;
      wrongs.push(...replicas.flatMap((replica) => replica.revive() ?? []));
      kills.push(await killAtAMoment(replica, harness));
      replica.start();
      if (kills.length % LEAKS_EVERY === 0) wrongs.push(...(await leaks(cluster)));
      const { requests } = service;
      tell(`${kills.length} of ${times} kills, ${actors.done.length} acts, ${requests.length} requests`);
    }
  } finally {
    stop.abort();
  }
  await around;
  return { kills, wrongs };
}
