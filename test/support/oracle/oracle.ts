import type { Chronicle } from './chronicle.ts';
import { Facts } from './facts.ts';
import type { ExcuseName, Finding } from './finding.ts';
import { connections } from './rules/connections.ts';
import { correctedReports } from './rules/corrected-reports.ts';
import { falseStops } from './rules/false-stops.ts';
import { foreignValues } from './rules/foreign-values.ts';
import { limits, passesAtRest } from './rules/limits.ts';
import { liveness } from './rules/liveness.ts';
import { lostValues } from './rules/lost-values.ts';
import { needlessRequests } from './rules/needless-requests.ts';
import { repeatedWrites } from './rules/repeated-writes.ts';
import { stuckReasons } from './rules/stuck-reasons.ts';
import { tenants } from './rules/tenants.ts';
import { toldOtherwise } from './rules/told-otherwise.ts';
import { unsentEdits } from './rules/unsent-edits.ts';
import { untrueConditions } from './rules/untrue-conditions.ts';
import { verdicts } from './rules/verdicts.ts';

/** The result of an oracle. */
export interface Judged {
  /** All errors, one line each. */
  readonly wrongs: readonly string[];
  /** The number of uses of each excuse. */
  readonly excused: Readonly<Partial<Record<ExcuseName, number>>>;
  /** The largest number of passes over the list within one poll interval at rest. */
  readonly worstPasses: number;
}

const RULES: readonly ((facts: Facts) => readonly Finding[])[] = [
  foreignValues,
  correctedReports,
  lostValues,
  repeatedWrites,
  needlessRequests,
  verdicts,
  untrueConditions,
  toldOtherwise,
  limits,
  stuckReasons,
  falseStops,
  liveness,
  unsentEdits,
  tenants,
  connections,
];

/** Judges everything that happened by every rule, only from observations outside of the operator. */
export function judgedByOracle(chronicle: Chronicle): Judged {
  const facts = new Facts(chronicle);
  const findings = RULES.flatMap((rule) => rule(facts));
  const excused: Partial<Record<ExcuseName, number>> = {};
  for (const { excuse } of findings) if (excuse !== undefined) excused[excuse] = (excused[excuse] ?? 0) + 1;
  const atS = (atMs: number): number => Math.round((atMs - chronicle.startMs) / 1000);
  return {
    wrongs: findings
      .filter(({ excuse }) => excuse === undefined)
      .map(({ rule, atMs, text }) => `${rule}: ${text} (at ${atS(atMs)} s)`),
    excused,
    worstPasses: Math.max(0, ...passesAtRest(facts).map(({ passes }) => passes)),
  };
}
