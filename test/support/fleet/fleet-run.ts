import fc from 'fast-check';
import { judgedByOracle } from '../oracle/oracle.ts';
import type { Result } from '../matrix/run.ts';
import { FleetPlay } from './fleet-play.ts';
import { maybeFleetTheme, underFleetTheme } from './fleet-themes.ts';
import { anyFleetSetting, anyFleetStory, type FleetSetting, type FleetStep } from './fleet-story.ts';

/** Two teams and their story. */
export interface FleetRun {
  readonly setting: FleetSetting;
  readonly story: readonly FleetStep[];
}

/** Random fleets. The theme is drawn last, so that a seed without a theme still plays the same run. */
export const anyFleetRun: fc.Arbitrary<FleetRun> = fc
  .record({ setting: anyFleetSetting, story: anyFleetStory, theme: maybeFleetTheme })
  .map(({ theme, ...run }) => underFleetTheme(run, theme));

/** The time until every resource has its deployment. */
const BEFORE_S = 100;

/** Longer than the longest pause of a 429 and the polls that follow. */
const AFTER_S = 1_500;

/** Plays a fleet and judges it. Throws with all errors. */
export async function playFleet({ setting, story }: FleetRun, randomSeed = 1): Promise<Result> {
  const { world, ...played } = await playedFleet({ setting, story }, randomSeed);
  try {
    const judged = judgedByOracle(world.chronicle);
    const bugs = world.logger.lines.filter(({ level }) => level === 'error');
    const wrong = [
      ...judged.wrongs,
      ...bugs.map(({ message }) => `the log has an error: ${message}`),
      ...(world.service.log.maxInFlight() > 1 ? ['two writes to one deployment at once'] : []),
      ...world.service.log.violations.map(({ message }) => `a rule of the interface was broken: ${message}`),
    ];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return { ...played, judged };
  } finally {
    world.kill();
  }
}

async function playedFleet(
  { setting, story }: FleetRun,
  randomSeed: number,
): Promise<Omit<Result, 'judged'> & Pick<FleetPlay, 'world'>> {
  const played = new FleetPlay(setting, randomSeed);
  const { world } = played;
  await world.pass(BEFORE_S);
  await played.through(story);
  await world.pass(AFTER_S);
  const reasons = world.statusWrites.flatMap(({ after }) => after.conditions ?? []);
  return {
    world,
    end: 'a fleet',
    reasons: [...new Set(reasons.filter(({ type }) => type === 'Synced').map(({ reason }) => reason))],
    worstPatches: 0,
    worstRevisions: 0,
  };
}
