import type { WireJson } from '../../../../src/wire/wire-json.ts';
import { type Dealt, type Facts, type LeafChange, TIMES } from '../facts.ts';
import type { Finding } from '../finding.ts';
import { alike, isEmpty, leavesOfBody, leavesOfContent } from '../leaves.ts';

const RULE = 'what is only reported is not corrected';

/**
 * Under `driftPolicy: Report`, a PATCH does not put back a declared value that somebody changed, once the status has
 * reported a difference after a list that shows the change and that no own request can explain.
 */
export function correctedReports(facts: Facts): readonly Finding[] {
  return facts.dealtWith('patch').flatMap((request) => {
    const held = request.found === undefined ? new Map<string, WireJson>() : leavesOfContent(request.found);
    return [...leavesOfBody(request.body)].flatMap(([path, value]) => {
      if (path.startsWith('secrets.') || alike(value, held.get(path))) return [];
      const change = changeByOthers(facts, request, path);
      if (change === undefined || !alike(change.before, value)) return [];
      const keys = facts.boundTo(request.id, request.beganMs);
      if (!keys.some((key) => wasReported(facts, request, { key, path, change }))) return [];
      const text = `PATCH ${request.number} puts back ${path}, which was only to be reported`;
      return [{ rule: RULE, atMs: request.beganMs, text }];
    });
  });
}

/**
 * Returns the last change of a value before a request, unless one of our own requests made it. A request of the same
 * process that left the value out may have emptied it since: the process saw what to restore.
 */
function changeByOthers(
  facts: Facts,
  { id, number, beganMs, dealtMs }: Dealt,
  path: string,
): LeafChange | undefined {
  const startMs = facts.chronicle.lastStartMs(0, beganMs);
  const isLoss = ({ request, after, atMs }: LeafChange): boolean =>
    request !== undefined && isEmpty(after) && atMs >= startMs;
  const earlier = facts.leafChanges(id, path).filter((change) => change.atMs <= dealtMs);
  const last = earlier.findLast((change) => change.request !== number && !isLoss(change));
  return last?.request === undefined ? last : undefined;
}

/**
 * True if a status reported a difference after a list with the change, and the spec has asked for nothing else since the
 * change.
 */
function wasReported(
  facts: Facts,
  { id, beganMs }: Dealt,
  { key, path, change }: { readonly key: string; readonly path: string; readonly change: LeafChange },
): boolean {
  const versions = facts.versionsWithin(key, change.atMs, beganMs);
  const asked = facts.askedWithin(key, path, change.atMs, beganMs);
  const isUnchanged = asked.length === versions.length && asked.every((one) => alike(one, change.before));
  if (!isUnchanged || versions.some(({ spec }) => spec.driftPolicy !== 'Report')) return false;
  const wroteMs = facts.dealtWith('patch').flatMap((one) => (one.id === id ? [one.dealtMs] : []));
  const lists = facts
    .looksAt(id)
    .filter((look) => look.via === 'list' && look.beganMs >= change.atMs)
    .filter((look) => alike(look.leaves.get(path), change.after))
    .filter((look) => !wroteMs.some((ms) => ms <= look.beganMs && look.beganMs < ms + TIMES.windowMs));
  return facts
    .versionsOf(key)
    .some(
      ({ atMs, object }) =>
        atMs <= beganMs &&
        lists.some((look) => facts.passEndMs(look) <= atMs) &&
        object?.status?.conditions?.some(
          ({ type, reason }) => type === 'Synced' && reason === 'DriftReported',
        ) === true,
    );
}
