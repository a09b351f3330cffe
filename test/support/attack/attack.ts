import { expect, it } from 'vitest';
import { attackGround, type AttackerRole, type Ground, LIMIT_MIB } from './ground.ts';
import { keepReport } from './report.ts';
import { untilRecorded, type Verdict, witness } from './witness.ts';

/** An attack on the shipped controller, with an honest tenant beside the attacker. */
export interface Attack {
  /** Completes "an attacker who ...", and names the test. */
  readonly name: string;
  readonly attacker: AttackerRole;
  /** Further arguments of the controller, such as a larger `--workers`. */
  readonly runArgs?: readonly string[];
  /** The length of the full form in seconds: the neighbour is observed for this time after the strike. Default 30. */
  readonly seconds?: number;
  /** Begins the attack. Resolves when everything is in place. What it starts ends with the test (`onTestFinished`). */
  readonly strike: (ground: Ground, force: Force) => Promise<void>;
  /** Further checks after the attack. */
  readonly after?: (ground: Ground) => Promise<void>;
}

/** `full` with `npm run attack`; `npm test` strikes with less, for a shorter time. */
export type Force = 'full' | 'short';

/** `full` under `npm run attack`. */
const FORCE: Force = process.env['DMS_ATTACK'] === 'full' ? 'full' : 'short';

/**
 * The factor of time limits. Test files that run at the same time share two cores, so the short form has longer limits.
 */
const PATIENCE = FORCE === 'full' ? 1 : 5;
const HEALTH_LIMIT_MS = 1_000 * PATIENCE;
const EDIT_LIMIT_MS = 2_000 * PATIENCE;
const SHORT_SECONDS = 3;
const TEST_LIMIT_MS = 600_000;

/**
 * Declares the test of an attack. During the attack, `/healthz` answers within a second, an edit of the neighbour
 * reaches the service within two, and memory stays below the limit of the pod. A controller that starts during the
 * attack, as after the drain of a node, serves the neighbour as well.
 */
export function attackTest(attack: Attack): void {
  it(
    attack.name,
    async () => {
      const ground = await attackGround(attack.attacker, attack.runArgs);
      const verdicts = [await during(ground, attack)];
      await untilRecorded(ground.neighbour);
      await ground.operator().kill();
      await ground.start();
      verdicts.push(await afterwards(ground, attack));
      await attack.after?.(ground);
      await keepReport({ name: attack.name, attacker: attack.attacker, verdicts });
      const [first, again] = verdicts;
      expect(harmOf(first), 'while the attack went on').toEqual([]);
      expect(harmOf(again), 'after a start into the attack').toEqual([]);
    },
    TEST_LIMIT_MS,
  );
}

/** Attacks, observes, and keeps observing for a while. */
async function during(ground: Ground, attack: Attack): Promise<Verdict> {
  const stopped = new AbortController();
  const watched = witness(ground.operator(), ground.neighbour, stopped.signal);
  try {
    await attack.strike(ground, FORCE);
    await seconds(lengthOf(attack));
  } finally {
    stopped.abort();
  }
  return watched;
}

/** Observes a controller that starts during the attack. An edit may wait for its first reads; later edits may not. */
async function afterwards(ground: Ground, attack: Attack): Promise<Verdict> {
  await witness(ground.operator(), ground.neighbour, AbortSignal.abort());
  const stopped = new AbortController();
  const watched = witness(ground.operator(), ground.neighbour, stopped.signal);
  await seconds(lengthOf(attack));
  stopped.abort();
  return watched;
}

function lengthOf({ seconds: full = 30 }: Attack): number {
  return FORCE === 'full' ? full : SHORT_SECONDS;
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}

function harmOf(verdict: Verdict | undefined): readonly string[] {
  if (verdict === undefined) return ['no verdict'];
  const { ended, peakMiB, slowestEditMs, slowestHealthMs } = verdict;
  return [
    ...(ended ? ['the controller ended'] : []),
    ...(peakMiB > LIMIT_MIB ? [`it took ${Math.round(peakMiB)} MiB`] : []),
    ...(slowestEditMs > EDIT_LIMIT_MS ? [`an edit of the neighbour took ${slowestEditMs} ms`] : []),
    ...(slowestHealthMs > HEALTH_LIMIT_MS ? [`/healthz took ${slowestHealthMs} ms`] : []),
  ];
}
