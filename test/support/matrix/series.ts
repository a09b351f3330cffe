import fc from 'fast-check';
import type { ExcuseName } from '../oracle/finding.ts';
import { allPairs } from './all-pairs.ts';
import { PLAIN } from './circumstances.ts';
import { anyFleetRun, type FleetRun, playFleet } from '../fleet/fleet-run.ts';
import { anyLongRun, anyRun, play, type Result, type Run } from './run.ts';
import { PLAIN_STORY } from './story.ts';
import { SWITCHES } from './switches.ts';

/** A run, and the flags that play it again. */
export interface Named {
  readonly name: string;
  readonly run: Run | FleetRun;
}

/** The result of a series of runs. */
export interface Summary {
  readonly runs: number;
  readonly worstPatches: number;
  readonly worstRevisions: number;
  /** The most passes over the list within one poll interval at rest. */
  readonly worstPasses: number;
  /** The number of uses of each excuse. */
  readonly excused: Readonly<Partial<Record<ExcuseName, number>>>;
  /** The number of runs that ended with each reason. */
  readonly ends: Readonly<Record<string, number>>;
  /** Every reason of Synced that any run went through. */
  readonly reasons: readonly string[];
  readonly failures: readonly (Named & { readonly wrong: string })[];
}

/** Enough for the edits of the plain story, which is not about the budget. */
const PLENTY_PER_HOUR = 30;

/** Returns runs of the plain story under combinations that together contain every pair of values of two switches. */
export function pairRuns(): readonly (Named & { readonly run: Run })[] {
  return allPairs(SWITCHES).map((switches, at) => ({
    name: `--pair ${at}`,
    run: { switches, circumstances: PLAIN, story: PLAIN_STORY, perHour: PLENTY_PER_HOUR },
  }));
}

/** One of this many seeds plays a fleet of two teams. All others play one resource with unusual switches. */
const FLEET_EVERY = 5;

/** Returns the run of a seed, which is the same each time. */
export function seededRun(seed: number): Named {
  const [run] = fc.sample<Run | FleetRun>(anyOf(seed), { seed, numRuns: 1 });
  if (run === undefined) throw new Error(`there is no run for seed ${seed}`);
  return { name: `--replay ${seed}`, run };
}

/** Returns the run of a seed that lasts about `hours`, the same each time. */
export function longRun(seed: number, hours: number): Named {
  const [run] = fc.sample(anyLongRun(hours), { seed, numRuns: 1 });
  if (run === undefined) throw new Error(`there is no run for seed ${seed}`);
  return { name: `--hours ${hours} --seeds 1 --seed ${seed}`, run };
}

/** Plays a run of either kind. Throws with all errors. */
export function playOne(run: Run | FleetRun): Promise<Result> {
  return 'setting' in run ? playFleet(run) : play(run);
}

function anyOf(seed: number): fc.Arbitrary<Run | FleetRun> {
  return seed % FLEET_EVERY === 0 ? anyFleetRun : anyRun;
}

/**
 * Returns the smallest story under the simplest switches that fails like the run of a seed; undefined if that run
 * succeeds.
 */
export async function shrunk(
  seed: number,
): Promise<{ readonly run: Run | FleetRun; readonly wrong: string } | undefined> {
  const { counterexample, errorInstance } = await fc.check(
    fc.asyncProperty(anyOf(seed), async (run) => void (await playOne(run))),
    { seed, numRuns: 1 },
  );
  return counterexample === null ? undefined : { run: counterexample[0], wrong: textOf(errorInstance) };
}

/** Plays runs one after the other, and tells after each whether it went well. A failed run does not stop the others. */
export async function playAll(
  named: readonly Named[],
  onPlayed: (isGood: boolean) => void = () => {},
): Promise<Summary> {
  const results: Result[] = [];
  const failures: Summary['failures'][number][] = [];
  for (const { name, run } of named) {
    try {
      results.push(await playOne(run));
    } catch (error) {
      failures.push({ name, run, wrong: textOf(error) });
    }
    onPlayed(failures.at(-1)?.name !== name);
  }
  return {
    runs: named.length,
    worstPatches: Math.max(0, ...results.map(({ worstPatches }) => worstPatches)),
    worstRevisions: Math.max(0, ...results.map(({ worstRevisions }) => worstRevisions)),
    worstPasses: Math.max(0, ...results.map(({ judged }) => judged.worstPasses)),
    excused: added(results.map(({ judged }) => judged.excused)),
    ends: counted(results.map(({ end }) => end)),
    reasons: [...new Set(results.flatMap(({ reasons }) => reasons))].toSorted(),
    failures,
  };
}

/** Joins several series into one. */
export function joined(summaries: readonly Summary[]): Summary {
  const ends = summaries.flatMap((summary) =>
    Object.entries(summary.ends).flatMap(([end, count]) => Array.from({ length: count }, () => end)),
  );
  return {
    runs: summaries.reduce((sum, { runs }) => sum + runs, 0),
    worstPatches: Math.max(0, ...summaries.map(({ worstPatches }) => worstPatches)),
    worstRevisions: Math.max(0, ...summaries.map(({ worstRevisions }) => worstRevisions)),
    worstPasses: Math.max(0, ...summaries.map(({ worstPasses }) => worstPasses)),
    excused: added(summaries.map(({ excused }) => excused)),
    ends: counted(ends),
    reasons: [...new Set(summaries.flatMap(({ reasons }) => reasons))].toSorted(),
    failures: summaries.flatMap(({ failures }) => failures),
  };
}

/** Describes a run in readable lines. */
export function described(run: Run | FleetRun): string {
  const settings =
    'setting' in run ? run.setting : { ...run.switches, ...run.circumstances, perHour: run.perHour };
  return [
    ...Object.entries(settings).map(([name, value]) => `  ${name}: ${value}`),
    ...run.story.map(({ act, thenS }) => `  ${JSON.stringify(act)}, then ${thenS} s`),
  ].join('\n');
}

function added(counts: readonly Summary['excused'][]): Summary['excused'] {
  const sum: Partial<Record<ExcuseName, number>> = {};
  for (const each of counts)
    for (const [name, count] of Object.entries(each))
      sum[name as ExcuseName] = (sum[name as ExcuseName] ?? 0) + count;
  return sum;
}

function counted(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const text of texts.toSorted()) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
