import { type Applied, type Digests, fieldDigest } from './baseline.ts';
import type { DesiredDeployment, DesiredField } from './desired.ts';
import { makesRevision } from './fields.ts';
import type { ObservedDeployment, Shown } from './observation.ts';
import { isBlockShown, isResolvedCommit, shownFor } from './shown.ts';

/**
 * What a managed field needs.
 * - `in-sync`: nothing, however odd the shown value looks.
 * - `adopt`: nothing is sent; what is shown becomes the baseline.
 * - `settling`: the baseline moves, since the service is still rounding or resolving what we sent, or does not list it.
 * - `first`, `change`: to be sent, because it never was or because the spec changed.
 * - `drift`: shown otherwise than after our last write, or not any more.
 * - `ignored`: shown, but never moved with our write.
 */
export type Verdict = 'in-sync' | 'adopt' | 'settling' | 'first' | 'change' | 'drift' | 'ignored';

/** The digests a field is decided on; `shown` is absent for a field that is not shown. */
export interface FieldDigests {
  readonly desired: string;
  readonly applied?: string | undefined;
  readonly baseline?: string | undefined;
  readonly shown?: string | undefined;
}

/** One managed field with everything a decision about it may need. */
export interface Judgement {
  readonly desired: DesiredField;
  readonly shown: Shown;
  readonly digests: FieldDigests;
  readonly verdict: Verdict;
}

/** What a verdict on a field needs to know beside its digests. */
export interface Circumstances {
  /** Our last write of it may still be taking shape. */
  readonly settling: boolean;
  /** What it means where it was shown after our last write and is not any more. */
  readonly notShown: Verdict;
  /** The list shows it, not the answer to a write. */
  readonly listed: boolean;
}

/** What verdicts on fields need to know, by path. */
interface Reading {
  readonly settling: (path: string) => boolean;
  readonly notShown: (path: string) => Verdict;
  readonly listed: boolean;
  readonly digests: Digests;
}

/** The field decision (docs/semantics.md): desired against applied, shown against baseline. */
export function judge(digests: FieldDigests, { settling, notShown, listed }: Circumstances): Verdict {
  const { desired, applied, baseline, shown } = digests;
  if (applied !== desired) {
    if (shown === desired) return 'adopt';
    return applied === undefined ? 'first' : 'change';
  }
  if (shown === undefined) return baseline === undefined ? 'in-sync' : notShown;
  if (shown === baseline) return 'in-sync';
  // Only what lists show as well may be missed there later.
  if (shown === desired) return baseline === undefined && !listed ? 'in-sync' : 'adopt';
  if (baseline === undefined) return 'ignored';
  return settling ? 'settling' : 'drift';
}

/** Every managed field of a deployment, judged. */
export function judgeFields(
  desired: DesiredDeployment,
  applied: Applied,
  observed: ObservedDeployment,
  how: Reading,
): readonly Judgement[] {
  return desired.fields.map((field) => judgeField(field, applied, observed, how));
}

function judgeField(
  desired: DesiredField,
  applied: Applied,
  observed: ObservedDeployment,
  how: Reading,
): Judgement {
  const shown = shownFor(desired, observed);
  const want = fieldDigest(desired, desired.value, how.digests);
  const kept = applied.fields.get(desired.field.path);
  const adopted = applied.keyLost && kept !== undefined;
  const before = adopted ? { a: want } : kept;
  const have = shown === undefined ? undefined : fieldDigest(desired, shown, how.digests);
  const digests = { desired: want, applied: before?.a, baseline: before?.b, shown: have };
  if (adopted) return { desired, shown, digests, verdict: 'adopt' };
  if (before?.a === want && isResolvedCommit(desired, shown, observed)) {
    return { desired, shown, digests, verdict: 'in-sync' };
  }
  const { path } = desired.field;
  const verdict = judge(digests, {
    settling: makesRevision(desired.field) && how.settling(path),
    // Of a block that is not shown nothing is known (N31).
    notShown: isBlockShown(desired, observed) ? how.notShown(path) : 'in-sync',
    listed: how.listed,
  });
  return { desired, shown, digests, verdict };
}
