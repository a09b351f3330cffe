import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { Exchanged } from '../chronicle.ts';
import { type Facts, TIMES } from '../facts.ts';
import type { Finding } from '../finding.ts';
import { alike, leavesOfBody, leavesOfContent } from '../leaves.ts';
import { mayMakeRevision } from '../../resources/revision-making.ts';

const RULE_WINDOW = 'a write of unknown outcome is not repeated before its window is over';
const RULE_COUNT = 'status counts every write that made a revision';
const RULE_REDEPLOY = 'a redeploy is carried out or given up within two poll intervals';

/** The longest wait of a redeploy that is held by neither a rollout nor the budget. */
const REDEPLOY_MS = 2 * TIMES.windowMs + 2 * TIMES.pollMs;

const HOUR_MS = 3_600_000;

/** The duration of exchanges with the service, and the largest step of a test clock. */
const SLACK_MS = 1_000;

/** Finds writes that are sent twice, or sent without being counted. */
export function repeatedWrites(facts: Facts): readonly Finding[] {
  return [...beforeTheWindow(facts), ...uncounted(facts), ...forgottenRedeploys(facts)];
}

function beforeTheWindow(facts: Facts): readonly Finding[] {
  const patches = facts.exchanges.filter(({ operation }) => operation === 'patch');
  return patches.flatMap((request, at): readonly Finding[] => {
    const before = patches.slice(0, at).findLast(({ id }) => id === request.id);
    if (before === undefined || !isUnknown(before)) return [];
    if (JSON.stringify(before.body) !== JSON.stringify(request.body)) return [];
    const apartMs = request.beganMs - before.beganMs;
    if (apartMs >= TIMES.windowMs - SLACK_MS || wasShown(facts, before, request)) return [];
    const text = `PATCH ${request.number} repeats ${before.number} after ${Math.round(apartMs / 1000)} s`;
    const excuse = wasTakenForOurs(facts, before, request) ? 'somebody else did the same' : undefined;
    return [{ rule: RULE_WINDOW, atMs: request.beganMs, text, excuse }];
  });
}

/**
 * True for a redeploy that a person asked for again, where a look between the two requests shows a revision of somebody
 * else that no look before the first one shows: the operator takes it for that of the request, and its outcome for known.
 */
function wasTakenForOurs(facts: Facts, { body, found, beganMs }: Exchanged, request: Exchanged): boolean {
  const held = found === undefined ? undefined : leavesOfContent(found);
  if ([...leavesOfBody(body)].some(([path, value]) => !alike(held?.get(path), value))) return false;
  const looks = facts.looksAt(request.id);
  const revisionsIn = (fromMs: number, untilMs: number): ReadonlySet<WireJson | undefined> =>
    new Set(
      looks
        .filter((look) => look.beganMs >= fromMs && look.endedMs <= untilMs)
        .map(({ item }) => item['latest_revision_id']),
    );
  const [known, seen] = [revisionsIn(0, beganMs), revisionsIn(beganMs, request.beganMs)];
  const isTheirs = facts.changesOf(request.id).some(({ request: by, before, after }) => {
    const revision = after?.revisions.at(-1)?.id;
    const isNew = (after?.revisions.length ?? 0) > (before?.revisions.length ?? 0);
    return by === undefined && isNew && seen.has(revision) && !known.has(revision);
  });
  const asked = facts
    .boundTo(request.id, request.beganMs)
    .flatMap((key) => facts.versionsWithin(key, beganMs, request.beganMs))
    .map(({ metadata }) => metadata.annotations?.['dms-operator.dev/redeploy']);
  return isTheirs && new Set(asked).size > 1;
}

/**
 * True if a list between two requests shows the values that the first one changed, or the revision that it made. Then
 * its outcome is known, and a person asked again.
 */
function wasShown(facts: Facts, before: Exchanged, request: Exchanged): boolean {
  const held = before.found === undefined ? undefined : leavesOfContent(before.found);
  const changed = [...leavesOfBody(before.body)].filter(([path, value]) => !alike(held?.get(path), value));
  const made = facts.changesOf(request.id).find(({ request: by }) => by === before.number);
  const [had, has] = [made?.before?.revisions ?? [], made?.after?.revisions ?? []];
  const revision = has.length > had.length ? has.at(-1)?.id : undefined;
  return facts
    .looksAt(request.id)
    .filter((look) => look.beganMs >= before.beganMs && look.endedMs <= request.beganMs)
    .some(
      ({ leaves, item }) =>
        (changed.length > 0 && changed.every(([path, value]) => alike(leaves.get(path), value))) ||
        (revision !== undefined && item['latest_revision_id'] === revision),
    );
}

/** Answers of a service that did not accept the request. */
const REFUSALS = new Set([400, 401, 409, 422, 429]);

/** True if a request may have been applied, or may still be, after its faults. */
function isUnknown({ faults, status, delivery }: Exchanged): boolean {
  // If there are several faults, the one that answered counts. The status code alone decides, even if the text was cut.
  const isTold = delivery === 'whole' || delivery === 'truncated';
  if (status !== undefined && REFUSALS.has(status) && isTold) return false;
  return faults.some((fault) =>
    ['apply-then-fail', 'fail-then-apply-late', 'hang', 'reset-mid-body', 'truncate'].includes(fault),
  );
}

/** Finds requests after which the status knows of fewer revisions than were made within the hour. */
function uncounted(facts: Facts): readonly Finding[] {
  const made = facts.dealtWith('patch').filter((request) => {
    const change = facts.chronicle.changes.find(({ request: by }) => by === request.number);
    const more = (change?.after?.revisions.length ?? 0) > (change?.before?.revisions.length ?? 0);
    return more && mayMakeRevision(request);
  });
  return made.flatMap((request): readonly Finding[] => {
    const key = facts.boundTo(request.id, request.beganMs)[0];
    const counted = key === undefined ? undefined : facts.versionAt(key, request.beganMs)?.object;
    // A resource that was removed at that time no longer counts.
    if (key === undefined || counted === undefined) return [];
    const sends = counted.status?.budget?.sends.length ?? 0;
    // Another resource with the name counts from its own beginning.
    const sinceMs = Math.max(facts.versionsOf(key)[0]?.atMs ?? 0, request.beganMs - HOUR_MS + SLACK_MS);
    const within = made.filter(
      ({ id, beganMs }) => id === request.id && beganMs <= request.beganMs && beganMs >= sinceMs,
    ).length;
    if (sends >= within) return [];
    const text = `${key}: PATCH ${request.number} made revision ${within} of the hour, and the status counts ${sends}`;
    return [{ rule: RULE_COUNT, atMs: request.beganMs, text }];
  });
}

/** Finds annotations that ask for a redeploy and are not handled although nothing prevents it. */
function forgottenRedeploys(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key) => {
    let sinceMs: number | undefined;
    const found: Finding[] = [];
    const versions = facts.versionsOf(key);
    for (const [at, { atMs, object }] of versions.entries()) {
      const asked = object?.metadata.annotations?.['dms-operator.dev/redeploy'];
      const synced = object?.status?.conditions?.find(({ type }) => type === 'Synced');
      const open =
        asked !== undefined && asked !== object?.status?.lastHandledRedeploy && synced?.reason === 'InSync';
      const rolling = object?.status?.latestRevisionID !== object?.status?.activeRevisionID;
      if (!open || rolling) sinceMs = undefined;
      else sinceMs ??= atMs;
      const untilMs = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
      const aliveMs = facts.chronicle.lastStartMs(sinceMs ?? untilMs, untilMs);
      if (sinceMs === undefined || untilMs - aliveMs <= REDEPLOY_MS || found.length > 0) continue;
      found.push({
        rule: RULE_REDEPLOY,
        atMs: sinceMs,
        text: `${key} asks for ${asked}, and nothing happens`,
      });
    }
    return found;
  });
}
