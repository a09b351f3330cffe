import { type Applied, type Digests, fieldDigest } from './baseline.ts';
import type { DesiredDeployment, DesiredField } from './desired.ts';
import { makesRevision } from './fields.ts';
import type { ObservedDeployment, Shown } from './observation.ts';
import { isResolvedCommit, shownFor } from './shown.ts';

/**
 * What a managed field needs.
 * - `in-sync`: nothing, however odd the shown value looks.
 * - `adopt`: nothing is sent; what is shown becomes the baseline.
 * - `settling`: the baseline moves, since the service is still rounding or resolving what we sent.
 * - `first`, `change`: to be sent, because it never was or because the spec changed.
 * - `drift`: shown otherwise than after our last write.
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

/** The field decision (docs/semantics.md): desired against applied, shown against baseline. */
export function judge(digests: FieldDigests, settling: boolean): Verdict {
  const { desired, applied, baseline, shown } = digests;
  if (applied !== desired) {
    if (shown === desired) return 'adopt';
    return applied === undefined ? 'first' : 'change';
  }
  if (shown === undefined) return 'in-sync';
  if (shown === baseline) return 'in-sync';
  if (shown === desired) return 'adopt';
  if (baseline === undefined) return 'ignored';
  return settling ? 'settling' : 'drift';
}

/** Every managed field of a deployment, judged. `settling` says of a path that our last write of it may still be taking shape. */
export function judgeFields(
  desired: DesiredDeployment,
  applied: Applied,
  observed: ObservedDeployment,
  how: { readonly settling: (path: string) => boolean; readonly digests: Digests },
): readonly Judgement[] {
  return desired.fields.map((field) => judgeField(field, applied, observed, how));
}

function judgeField(
  desired: DesiredField,
  applied: Applied,
  observed: ObservedDeployment,
  how: { readonly settling: (path: string) => boolean; readonly digests: Digests },
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
  const settling = makesRevision(desired.field) && how.settling(desired.field.path);
  return { desired, shown, digests, verdict: judge(digests, settling) };
}
