import fc from 'fast-check';
import { conclude, SILENCE_S } from '../../reconcile/support/conclusion.ts';
import type { World } from '../../reconcile/support/world.ts';
import { isAtRest, wrongs } from './judge.ts';
import { type Judged, judgedByOracle } from '../oracle/oracle.ts';
import { anyCircumstances } from './circumstances.ts';
import { endOf, isRefused, Play, type Setting } from './play.ts';
import { anyStory, type Step, storyOf } from './story.ts';
import { SWITCHES, type Switches } from './switches.ts';
import { maybeTheme, underTheme } from './themes.ts';

/** A combination of switches and the story that is played under it. */
export interface Run extends Setting {
  readonly story: readonly Step[];
}

/** The result of a run. */
export interface Result {
  /** The reason at the end. */
  readonly end: string;
  /** Every reason of Synced on the way. */
  readonly reasons: readonly string[];
  /** The largest number of PATCH requests between one act and the next. */
  readonly worstPatches: number;
  readonly worstRevisions: number;
  readonly judged: Judged;
}

/**
 * Random runs with any switches and any story. The theme is drawn last, so that a seed without a theme still plays the
 * same run.
 */
export const anyRun: fc.Arbitrary<Run> = fc
  .record({
    switches: fc.record(
      Object.fromEntries(
        Object.entries(SWITCHES).map(([name, values]) => [name, fc.constantFrom(...values)]),
      ),
    ) as fc.Arbitrary<Switches>,
    circumstances: anyCircumstances,
    story: anyStory,
    perHour: fc.constantFrom(6, 6, 30),
    theme: maybeTheme,
  })
  .map(({ theme, ...run }) => underTheme(run, theme));

/** Returns random runs of about this number of hours, with a budget that does not end the story on its first day. */
export function anyLongRun(hours: number): fc.Arbitrary<Run> {
  return fc.tuple(anyRun, storyOf(hours)).map(([run, story]) => ({ ...run, story, perHour: 30 }));
}

const AFTER_STORY_S = 400;

/** Longer than the hold after a refusal, and than the hour of the budget. */
const REST_S = 3_700;

/** The number of rests. The hourly budget may run out more than once before a story is finished. */
const RESTS = 4;

/** How long the operator holds back a request that the service refused permanently. */
const HELD_S = 1_800;

/** The deadline of a rollout, and the looks until it is noticed. */
const OVERDUE_S = 1_900;

/** Longer than the window of a write and the polls that end it. */
const LATELY_S = 200;

/** The number of looks after which a service that needs no write receives none. */
const LOOKS = 5;

/** Plays a run and judges it. Throws with all errors. */
export async function play({ story, ...run }: Run, randomSeed = 1): Promise<Result> {
  const played = new Play(run, randomSeed);
  const { world } = played;
  const worst = { patches: 0, revisions: 0 };
  let before = { patches: 0, revisions: 0 };
  const count = (): void => {
    const now = {
      patches: world.patches().length,
      revisions: world.kept().revisions.filter(({ cause }) => cause === 'patch').length,
    };
    worst.patches = Math.max(worst.patches, now.patches - before.patches);
    worst.revisions = Math.max(worst.revisions, now.revisions - before.revisions);
    before = now;
  };
  try {
    await world.pass(60);
    await played.through(story, count);
    await world.pass(AFTER_STORY_S);
    await settle(played);
    await settleRefused(played);
    count();
    const judged = judgedByOracle(world.chronicle);
    const wrong = [...wrongs(played), ...judged.wrongs];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    await conclude(world);
    return {
      end: endOf(played),
      reasons: [...new Set(world.statusWrites.flatMap(({ after }) => reasonsOf(after.conditions ?? [])))],
      worstPatches: worst.patches,
      worstRevisions: worst.revisions,
      judged,
    };
  } finally {
    world.kill();
  }
}

async function settle(played: Play): Promise<void> {
  const { world } = played;
  for (let rest = 0; rest < RESTS && !isSettled(played); rest += 1) await world.pass(REST_S);
  // A connection that was not usable returns late, and values that were written then may still be repaired.
  for (let look = 0; look < LOOKS && wroteLately(world); look += 1) await world.pass(LATELY_S);
}

/**
 * Lets a request that the service refused be repeated, until the silence after it ends before the next repetition. A
 * write of the status that comes late, as to a slow store, delays the silence.
 */
async function settleRefused(played: Play): Promise<void> {
  for (let rest = 0; rest < RESTS && isRefused(played); rest += 1) {
    if (rest > 0 && !isRepeatedInSilence(played.world)) return;
    await untilRefused(played.world);
    await settle(played);
  }
}

/** True if a silence that begins now does not end before the refused request is repeated. */
function isRepeatedInSilence(world: World): boolean {
  const againMs = Date.parse(world.status().lastPatch?.time ?? '') + HELD_S * 1000;
  const now = world.clock.now();
  return now <= againMs && againMs <= now + SILENCE_S * 1000;
}

/** True if the run is at rest, and neither a temporary limit nor a rollout nor an unusable connection keeps it there. */
function isSettled(played: Play): boolean {
  const { world } = played;
  return isAtRest(played) && !isOutOfBudget(world) && !isRollingOut(world) && !isShut(world);
}

/** True while the connection is not usable: a resource in sync then hears nothing of changes at the service. */
function isShut(world: World): boolean {
  return world.connectionState()?.startsWith('False/') === true;
}

/** True if the status names the budget as its reason, or beside another reason. */
function isOutOfBudget(world: World): boolean {
  return world.message().includes('were sent within the last hour');
}

/**
 * True during a rollout, and until the operator has seen its end. The service is asked, because a status may name neither
 * the new revision nor the old one. A rollout without an end becomes overdue, and is silent from then on.
 */
function isRollingOut(world: World): boolean {
  const newest = world.kept().revisions.at(-1);
  if (newest === undefined) return false;
  const overdueFromMs = newest.createdMs + OVERDUE_S * 1000;
  const seenFromMs = (newest.activeFromMs ?? Number.POSITIVE_INFINITY) + LATELY_S * 1000;
  return world.clock.now() < Math.min(overdueFromMs, seenFromMs);
}

function wroteLately({ statusWrites, clock }: World): boolean {
  const newest = statusWrites.at(-1)?.atMs ?? 0;
  return clock.now() - newest < LATELY_S * 1000;
}

/** Waits for the next repetition of a refused request, which occurs every half hour, and for the silence after it. */
async function untilRefused(world: World): Promise<void> {
  const before = world.patches().length;
  for (let minute = 0; minute < 35 && world.patches().length === before; minute += 1) await world.pass(60);
  // A request that is accepted now has a rollout.
  await world.pass(LATELY_S);
}

function reasonsOf(
  conditions: readonly { readonly type: string; readonly reason: string }[],
): readonly string[] {
  return conditions.filter(({ type }) => type === 'Synced').map(({ reason }) => reason);
}
