import { defined } from '../../base/defined.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { DEFAULTS } from '../connection/connection.ts';

/** `status.budget`: recent requests. It survives a crash loop, since every announcement writes it. */
export type Budget = NonNullable<DeploymentStatus['budget']>;

/**
 * Returns the budget of a resource. A new generation allows one more send of an unchanged value that was never seen; a
 * changed value has no count yet (H10).
 */
export function budgetOf({ metadata, status }: DeploymentResource): Budget | undefined {
  const budget = status?.budget;
  if (budget === undefined || status?.observedGeneration === metadata.generation) return budget;
  // A refusal is remembered with the facts behind it (H23).
  const most = DEFAULTS.identicalSends - 1;
  return {
    ...budget,
    same: budget.same.map((entry) =>
      entry.refused ? entry : { ...entry, count: Math.min(entry.count, most) },
    ),
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns the times within the last `spanMs`; times in the future count as now. */
function recent(times: readonly string[] | undefined, spanMs: number, nowMs: number): string[] {
  return (times ?? []).filter((time) => Math.min(Date.parse(time), nowMs) > nowMs - spanMs);
}

/** Returns the limit per hour of writes that may make a revision. */
export function revisionsPerHour({ spec }: DeploymentResource): number {
  return spec.rollout?.maxRevisionsPerHour ?? DEFAULTS.revisionsPerHour;
}

/** Returns the current generation if nothing of it was carried out yet, else undefined. */
export function newGenerationOf({ metadata, status }: DeploymentResource): number | undefined {
  return status?.applied?.generation === metadata.generation ? undefined : metadata.generation;
}

/** The hourly limit of revisions, and the generation that may exceed it once. */
interface HourlyLimits {
  readonly perHour: number;
  /** The current generation if nothing of it was carried out yet, else undefined. */
  readonly newGeneration: number | undefined;
  readonly nowMs: number;
}

/**
 * Returns whether one more write that makes a revision may be sent. The limit is for a rolling hour; each new
 * generation allows one more write (H10).
 */
export function mayMakeRevision(budget: Budget | undefined, limits: HourlyLimits): boolean {
  const { newGeneration } = limits;
  return !isSpent(budget, limits) || (newGeneration !== undefined && budget?.beyond !== newGeneration);
}

function isSpent(
  budget: Budget | undefined,
  { perHour, nowMs }: Pick<HourlyLimits, 'perHour' | 'nowMs'>,
): boolean {
  return recent(budget?.sends, HOUR_MS, nowMs).length >= perHour;
}

/** Returns the milliseconds until the rolling hour has room again. */
export function roomAgainInMs(budget: Budget | undefined, nowMs: number): number {
  const oldest = recent(budget?.sends, HOUR_MS, nowMs).map((time) => Date.parse(time));
  return oldest.length === 0 ? 0 : Math.max(1_000, Math.min(...oldest) + HOUR_MS - nowMs);
}

/** Returns whether drift of a path may be corrected again today (H46). */
export function mayCorrectDrift(budget: Budget | undefined, path: string, nowMs: number): boolean {
  const times = budget?.drift.find((entry) => entry.path === path)?.times;
  return recent(times, DAY_MS, nowMs).length < DEFAULTS.driftCorrectionsPerDay;
}

/** Returns whether the same value may be sent again for a path although no look has shown it in between (H10). */
export function maySendAgain(budget: Budget | undefined, path: string, digest: string): boolean {
  const entry = budget?.same.find((same) => same.path === path);
  return entry === undefined || entry.digest !== digest || entry.count < DEFAULTS.identicalSends;
}

/** The digests with which the budget remembers that a service refused a value of a possibly immutable field (H23). */
export interface RefusedAs {
  /**
   * The digest for a request that contained nothing else. It is valid until something changes that the service may
   * validate together with the value.
   */
  readonly alone: string;
  /**
   * The digest for a request that contained more, which may have been the refused part. It is valid for this
   * generation.
   */
  readonly together: string;
}

/** Returns whether the service refused to change a path to this value, and the basis has not changed since (H23). */
export function wasRefused(
  budget: Budget | undefined,
  path: string,
  { alone, together }: RefusedAs,
): boolean {
  const found = budget?.same.find((entry) => entry.path === path && entry.refused === true);
  return found !== undefined && (found.digest === alone || found.digest === together);
}

/** A value that a write sends. */
export interface SentValue {
  readonly path: string;
  readonly digest: string;
  /** True if the value was sent before and no read has shown it; that counts whether the write was answered or not. */
  readonly again?: boolean;
}

/** The parts of the budget that one announced write uses: a revision, sent values, corrections of drift. */
export interface Spending {
  readonly makesRevision: boolean;
  readonly sent: readonly SentValue[];
  readonly drift: readonly string[];
  readonly perHour: number;
  /** The generation for a write beyond the hourly limit, as for `mayMakeRevision`. */
  readonly newGeneration: number | undefined;
}

/** Returns the budget after a write, without entries that no longer count. */
export function spend(budget: Budget | undefined, spending: Spending, nowMs: number): Budget {
  const now = new Date(nowMs).toISOString();
  const sends = recent(budget?.sends, HOUR_MS, nowMs);
  const drift = (budget?.drift ?? [])
    .map((entry) => ({ path: entry.path, times: recent(entry.times, DAY_MS, nowMs) }))
    .filter((entry) => entry.times.length > 0 && !spending.drift.includes(entry.path));
  const corrected = spending.drift.map((path) => ({
    path,
    times: [...recent(budget?.drift.find((entry) => entry.path === path)?.times, DAY_MS, nowMs), now],
  }));
  const paths = new Set(spending.sent.map(({ path }) => path));
  const same = (budget?.same ?? []).filter((entry) => !paths.has(entry.path));
  const sent = spending.sent.map(({ path, digest, again }) => {
    const before = budget?.same.find((entry) => entry.path === path);
    const counted = before?.digest === digest ? before.count : 0;
    return { path, digest, count: Math.max(counted, again === true ? 1 : 0) + 1 };
  });
  const { makesRevision, newGeneration, perHour } = spending;
  const beyond =
    makesRevision && isSpent(budget, { perHour, nowMs }) ? (newGeneration ?? budget?.beyond) : budget?.beyond;
  return {
    ...defined({ beyond }),
    sends: makesRevision ? [...sends, now] : sends,
    drift: [...drift, ...corrected],
    same: [...same, ...sent],
  };
}

/** Returns the budget without the counts of identical sends for paths whose value was seen. */
export function seen(budget: Budget | undefined, paths: ReadonlySet<string>): Budget | undefined {
  if (budget === undefined || !budget.same.some((entry) => paths.has(entry.path))) return budget;
  return { ...budget, same: budget.same.filter((entry) => !paths.has(entry.path)) };
}

/**
 * Returns the paths of values that were sent again after an earlier correction of the same field, while no list has shown
 * them since: the service may answer as if it kept them.
 */
export function correctedInVain(budget: Budget | undefined): readonly string[] {
  const { same = [], drift = [] } = budget ?? {};
  const again = drift.filter(({ times }) => times.length > 1).map(({ path }) => path);
  return same
    .filter(
      ({ path, count, refused }) =>
        refused !== true && count >= DEFAULTS.identicalSends && again.includes(path),
    )
    .map(({ path }) => path);
}
