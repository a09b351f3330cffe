import { readFile } from 'node:fs/promises';
import type { ConnectionCounts } from '../../../../src/simulator/api/request-log.ts';
import { metricsOf } from '../../worlds/operator-process.ts';
import type { Life, Replica } from '../replica.ts';

interface Sample {
  readonly atMs: number;
  readonly residentMB: number;
}

const SAMPLE_EVERY_MS = 2_000;
/** After this time caches are full and the code is warm. Memory that is added later is not freed. */
const WARM_MS = 30_000;
/** Garbage that the collector may leave. */
const SLACK_MB = 25;
/** After this time memory should be level: its slope is measured from here to the end of the longest process. */
const LEVEL_MS = 20 * 60_000;

/**
 * Six watches, the streams of four lists that have ended and are not closed yet, and at most as many calls as the
 * transport has connections.
 */
const MOST_TO_API_SERVER = 6 + 4 + 32;
/** The Lease has its own transport, with one call at a time, and one more that was aborted and is not closed yet. */
const MOST_FOR_THE_LEASE = 2;
/** The concurrency of the connection. */
const MOST_TO_SERVICE = 20;

/** Memory and lost events of controllers while they live. */
export class Vitals {
  readonly #replicas: readonly Replica[];
  readonly #samples = new Map<Life, Sample[]>();
  readonly #lost = new Map<Life, number>();

  constructor(replicas: readonly Replica[]) {
    this.#replicas = replicas;
  }

  /**
   * Returns the number of changes that lists showed and watches should have reported, over all processes, from their
   * metrics.
   */
  get lost(): number {
    return [...this.#lost.values()].reduce((sum, count) => sum + count, 0);
  }

  async followUntil(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await this.sample();
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    }
  }

  /** Measures every running controller that is ready. */
  async sample(): Promise<void> {
    for (const { isReady, life } of this.#replicas) {
      const { endedMs, process } = life;
      if (endedMs !== undefined || !isReady) continue;
      // The process may be killed at this moment.
      const metrics = await metricsOf(process).catch(() => undefined);
      const residentMB = await residentMBOf(process.pid).catch(() => undefined);
      if (metrics === undefined || residentMB === undefined) continue;
      this.#lost.set(life, missedIn(metrics));
      this.#samples.set(life, [...(this.#samples.get(life) ?? []), { atMs: Date.now(), residentMB }]);
    }
  }

  /** Names controllers whose memory grew by more than late garbage collection explains, in their last process. */
  wrongs(): readonly string[] {
    return this.#replicas.flatMap(({ life, name }) => {
      const [first, last] = this.#warm(life);
      const grew = first !== undefined && last !== undefined && last > first + SLACK_MB;
      return grew ? [`the memory of ${name} grew from ${first} to ${last} MB`] : [];
    });
  }

  /** Returns a text such as `94 MB after 30 s, 99 MB at the end, 104 MB at most`. */
  text(): string {
    return this.#replicas
      .map(({ life }) => {
        const [first, last] = this.#warm(life);
        const most = Math.max(0, ...(this.#samples.get(life) ?? []).map(({ residentMB }) => residentMB));
        return first === undefined
          ? `too short to tell, ${most} MB at most`
          : `${first} MB after ${WARM_MS / 1000} s, ${last} MB at the end, ${most} MB at most`;
      })
      .join('; ');
  }

  /**
   * Describes, such as `0.4 MB an hour over 55 minutes`, the longest process of each replica, from its twentieth
   * minute on.
   */
  slopes(): string {
    return this.#replicas.map((replica) => slopeText(this.#longest(replica))).join('; ');
  }

  /**
   * Returns the samples of the process of a replica that was observed for longest, without those of its first
   * minutes.
   */
  #longest({ lives }: Replica): readonly Sample[] {
    const level = lives.map((life) =>
      (this.#samples.get(life) ?? []).filter(({ atMs }) => atMs > life.startedMs + LEVEL_MS),
    );
    return level.reduce((longest, samples) => (samples.length > longest.length ? samples : longest), []);
  }

  /** Returns the median of the first and of the last few samples after the warm-up. */
  #warm(life: Life): readonly (number | undefined)[] {
    const warm = (this.#samples.get(life) ?? []).filter(({ atMs }) => atMs > life.startedMs + WARM_MS);
    const middle = (samples: readonly Sample[]): number | undefined =>
      samples.map(({ residentMB }) => residentMB).toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
    return [middle(warm.slice(0, 5)), middle(warm.slice(-5))];
  }
}

/** Returns the slope of the line that fits the samples best, by least squares. */
function slopeText(samples: readonly Sample[]): string {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (first === undefined || last === undefined || first === last) return 'no life was long enough';
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const hours = samples.map(({ atMs }) => (atMs - first.atMs) / 3_600_000);
  const [meanHours, meanMB] = [mean(hours), mean(samples.map(({ residentMB }) => residentMB))];
  const together = mean(
    samples.map(({ residentMB }, at) => (hours[at]! - meanHours) * (residentMB - meanMB)),
  );
  const slope = together / mean(hours.map((hour) => (hour - meanHours) ** 2));
  return `${slope.toFixed(1)} MB an hour over ${Math.round((last.atMs - first.atMs) / 60_000)} minutes`;
}

/** Names controllers with more open connections than they may have. */
export function connectionWrongs(
  replicas: readonly Replica[],
  toService: ConnectionCounts,
): readonly string[] {
  const most = MOST_TO_API_SERVER + (replicas.length > 1 ? MOST_FOR_THE_LEASE : 0);
  return [
    ...replicas.flatMap(({ name, proxy: { log } }) =>
      log.mostConnections > most ? [`${name} had ${log.mostConnections} connections to the API server`] : [],
    ),
    ...(toService.most > MOST_TO_SERVICE * replicas.length
      ? [`there were ${toService.most} connections to the service`]
      : []),
  ];
}

function missedIn(metrics: string): number {
  const series = metrics.matchAll(/^dms_reflector_missed_total\{.*\} (\d+)$/gm);
  return [...series].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function residentMBOf(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
