import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import type { DeploymentState } from '../../../../src/simulator/state/deployment-state.ts';
import { isWireObject, listOf } from '../../../../src/simulator/values/wire-values.ts';
import { mayMakeRevision } from '../../resources/revision-making.ts';
import type { Exchanged } from '../chronicle.ts';
import { type Dealt, type Facts, isPretended, leafOf, type Look, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import {
  alike,
  differsUnder,
  isEmpty,
  isUnder,
  leavesOfBody,
  leavesOfContent,
  leavesOfSpec,
  wirePath,
} from '../leaves.ts';
import { wasTakenMeanwhile } from '../taken-meanwhile.ts';

const RULE = 'what a status gives as the reason for stopping is so';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The operator repeats a refused request after half an hour, with up to a minute of delay. */
const REFUSED_MS = HOUR_MS / 2 + 60_000;

/** The number of sends of a field before the operator gives up, and of its corrections in a day. */
const SENDS = 2;
const CORRECTIONS = 3;

/** A written status, and its statement about the resource. */
interface Stop {
  readonly key: string;
  readonly id: string;
  readonly atMs: number;
  readonly object: DeploymentResource;
  readonly reason: string;
  readonly message: string;
}

/** Whether a statement is true. An excuse names a physical reason why it is false. */
type Truth = boolean | ExcuseName;

/** Compares a part of a message with the chronicle. `said` is the group of its pattern. */
type Judge = (facts: Facts, stop: Stop, said: string) => Truth;

/** Statements of messages, and the facts that must hold for each. */
const SAYINGS: readonly (readonly [pattern: RegExp, isSo: Judge])[] = [
  [/(\S+) was sent twice, but the service does not show it/g, wasSentTwice],
  [/the same secrets were sent (twice)/g, secretsWereSentTwice],
  [/the service lists ([^;]*?) more than once/g, areDoubled],
  [/(\S+) was corrected three times within a day and changed again/g, wasCorrectedThrice],
  [/(\d+) writes that may make a revision were sent within the last hour/g, budgetIsSpent],
  [/the service refused to change (\S+) to this value/g, wasRefused],
  [/(\S+) was sent, but the service keeps its own value/g, wasNotTaken],
  [/(spec\.deploymentRef)(?: meant|\.id is)/g, meansAnother],
  [/(\S+) should be emptied, but the service keeps its value/g, wasNotTaken],
  [/the service keeps secrets that the newest list leaves out: ([^;]*)/g, secretsStayed],
  [/the service also lists ([^;]*?)(?: and (?:masks|may mask) values|;|$)/g, areForeign],
  [/the service shows an empty list, and has never listed a (secret)/g, secretsAreHidden],
  [/secrets are not sent: (\S+) exist at the service, which has not shown their values/g, secretsAreMasked],
  [/(resource_spec), and sending a part of it could lose the rest/g, isHidden],
  [/the service (empties) what a request leaves out/g, omissionsAreEmptied],
  [/(every) request must contain the secrets/g, omissionsAreEmptied],
  [/a request must contain (every) value of this deployment/g, omissionsAreEmptied],
  [/(sourceRevisionConfig\.repoRef) is shown as a commit/g, isBranchHidden],
  [/secrets were changed by another writer, which is only (reported)/g, secretsWereChanged],
];

/** Statuses that are only temporary refusals, or that have a reason of their own. */
const OTHERS = new Set([401, 403, 404, 409, 412, 413, 414, 423, 429]);

/** Reasons that are sufficient without a message. */
const REASONS: Readonly<Record<string, (facts: Facts, stop: Stop) => Truth>> = {
  Rejected: (facts, stop) => hasRefused(facts, stop, (status) => !OTHERS.has(status)),
  TooLarge: (facts, stop) => hasRefused(facts, stop, (status) => [413, 414].includes(status)),
  Forbidden: (facts, stop) => hasRefused(facts, stop, (status) => status === 403),
  DriftReported: wasChangedByOthers,
  Paused: (_, { object, message }) =>
    object.metadata.annotations?.['dms-operator.dev/paused'] === 'true' || message.includes('suspend'),
};

/** Reasons with which a resource stops, each of which needs a cause in its message. */
const TOLD: ReadonlySet<string> = new Set([
  'NotConverging',
  'DriftCorrectionSuspended',
  'RevisionBudgetExhausted',
  'ImmutableFieldChanged',
  'FieldNotClearable',
  'UnmanagedSecretsPresent',
  'SecretVisibilityUnproven',
  'SemanticsMismatch',
]);

/** Compares stops with earlier requests, answers, lists and changes. */
export function falseStops(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key) => {
    const seen = new Set<string>();
    return stopsOf(facts, key).flatMap((stop): readonly Finding[] => {
      const truths = truthsOf(facts, stop);
      return truths.flatMap(([said, truth]): readonly Finding[] => {
        if (truth === true || seen.has(said)) return [];
        seen.add(said);
        const text = `${key} says ${stop.reason}, and it is not so: ${said}`;
        return [{ rule: RULE, atMs: stop.atMs, text, excuse: truth === false ? undefined : truth }];
      });
    });
  });
}

function truthsOf(facts: Facts, stop: Stop): readonly (readonly [said: string, truth: Truth])[] {
  const { reason, message } = stop;
  const isSo = REASONS[reason];
  if (isSo !== undefined) return [[reason, isSo(facts, stop)]];
  const truths = SAYINGS.flatMap(([pattern, judge]) =>
    [...message.matchAll(pattern)].map(([said, what = '']) => [said, judge(facts, stop, what)] as const),
  );
  return truths.length === 0 && TOLD.has(reason) ? [[`"${message}" names no cause`, false]] : truths;
}

/** Returns every status that differs from the one before it. */
function stopsOf(facts: Facts, key: string): readonly Stop[] {
  let last = '';
  const specs = new Map<number | undefined, DeploymentResource['spec']>();
  return facts.versionsOf(key).flatMap(({ atMs, object }): readonly Stop[] => {
    if (object !== undefined) specs.set(object.metadata.generation, object.spec);
    const synced = object?.status?.conditions?.find(({ type }) => type === 'Synced');
    const id = object?.status?.deploymentID;
    const { reason = '', message = '', observedGeneration } = synced ?? {};
    const sign = JSON.stringify([reason, message, observedGeneration, id]);
    if (object === undefined || id === undefined || sign === last) return [];
    last = sign;
    // The spec may have been edited between the decision and the write of the status.
    const spec = specs.get(observedGeneration) ?? object.spec;
    return [{ key, id, atMs, object: { ...object, spec }, reason, message }];
  });
}

/** Returns our requests to the deployment so far. */
function patchesOf(facts: Facts, { id, atMs }: Stop): readonly Exchanged[] {
  return facts.exchanges.filter(
    (request) => request.operation === 'patch' && request.id === id && request.beganMs <= atMs,
  );
}

/** True if a request asks for the declared values at or below a path. */
function carries({ body }: Exchanged, { object }: Stop, path: string): boolean {
  const sent = leavesOfBody(body);
  const wanted = [...leavesOfSpec(object)].filter(([leaf]) => isUnder(leaf, path));
  return wanted.length > 0 && wanted.every(([leaf, value]) => sent.has(leaf) && alike(sent.get(leaf), value));
}

/** True if a list on which the status may rest shows each name more than once. */
function areDoubled(facts: Facts, stop: Stop, names: string): Truth {
  return basesOf(facts, stop).some((look) => {
    const secrets = listOf(look?.item['secrets']).filter(isWireObject);
    return names.split(', ').every((name) => secrets.filter((secret) => secret['name'] === name).length > 1);
  });
}

/**
 * Returns the lists on which a status may rest: the newest one, and the newest one whose pass had ended, since no
 * decision rests on a page before its pass has ended.
 */
function basesOf(facts: Facts, { id, atMs }: Stop): readonly (Look | undefined)[] {
  const ended = facts.looksAt(id).findLast((look) => look.via === 'list' && facts.passEndMs(look) < atMs);
  return [ended, listAt(facts, id, atMs)];
}

/** Returns the newest list in which the service showed the deployment. */
function listAt(facts: Facts, id: string, atMs: number): Look | undefined {
  return facts.looksAt(id).findLast(({ via, endedMs }) => via === 'list' && endedMs <= atMs);
}

const REFUSALS = new Set([400, 403, 405, 413, 414, 422]);

function isRefusal({ status }: Exchanged): boolean {
  return status !== undefined && REFUSALS.has(status);
}

/**
 * Returns the truth of a count. Processes that died before they sent anything may have made the missing announcements.
 */
function orAnnouncedOnly(facts: Facts, { atMs }: Stop, counted: number, needed: number): Truth {
  if (counted >= needed) return true;
  const died = facts.chronicle.startsMs.slice(1).filter((ms) => ms <= atMs).length;
  return counted + died >= needed && counted > 0 ? 'announced by a process that died' : false;
}

function wasSentTwice(facts: Facts, stop: Stop, said: string): Truth {
  const path = wirePath(said);
  const sent = patchesOf(facts, stop).filter((one) => carries(one, stop, path) && !isRefusal(one));
  // Lists may omit values that must be empty.
  const wanted = [...leavesOfSpec(stop.object)].filter(
    ([leaf, value]) => isUnder(leaf, path) && !isEmpty(value),
  );
  // A service that merges lists keeps elements that the spec removed.
  const isWanted = new Set(wanted.map(([leaf]) => leaf));
  const removed = patchesOf(facts, stop)
    .flatMap(({ body }) => [...leavesOfBody(body).keys()])
    .filter((leaf) => leaf.startsWith('secret_references.') && isUnder(leaf, path) && !isWanted.has(leaf));
  const shows = (look: Look | undefined): boolean =>
    look !== undefined &&
    look.beganMs >= (sent.at(-1)?.beganMs ?? 0) &&
    wanted.every(([leaf, value]) => alike(look.leaves.get(leaf), value)) &&
    removed.every((leaf) => isEmpty(look.leaves.get(leaf)));
  const isShown = wanted.length > 0 && basesOf(facts, stop).every(shows);
  return isShown ? false : orAnnouncedOnly(facts, stop, sent.length, SENDS);
}

function secretsWereSentTwice(facts: Facts, stop: Stop): Truth {
  const sent = patchesOf(facts, stop).filter((one) => Array.isArray(one.body['secrets']) && !isRefusal(one));
  const names = facts.chronicle.stateAt(stop.id, stop.atMs)?.content.secrets.map(({ name }) => name) ?? [];
  return new Set(names).size < names.length || orAnnouncedOnly(facts, stop, sent.length, SENDS);
}

/** True if somebody else changed the value again after each of three corrections within a day. */
function wasCorrectedThrice(facts: Facts, stop: Stop, said: string): Truth {
  const path = wirePath(said);
  // A correction counts with the value of its time, also after an edit of the field.
  const sent = patchesOf(facts, stop).filter(
    (one) =>
      one.beganMs > stop.atMs - DAY_MS &&
      (path === 'secrets'
        ? Array.isArray(one.body['secrets'])
        : [...leavesOfBody(one.body).keys()].some((leaf) => isUnder(leaf, path))),
  );
  const changed = (fromMs: number, untilMs: number): boolean =>
    facts
      .changesOf(stop.id)
      .some(
        ({ atMs, request, before, after }) =>
          request === undefined &&
          atMs >= fromMs &&
          atMs <= untilMs &&
          differsUnder(before?.content, after?.content, path),
      );
  const untilMs = (at: number): number => sent[at + 1]?.beganMs ?? stop.atMs;
  const undone = sent.filter((one, at) => changed(one.beganMs, untilMs(at)));
  const seemsUndone = sent.filter(
    (one, at) => undone.includes(one) || isShownOtherwise(facts, one, path, untilMs(at)),
  );
  if (undone.length < CORRECTIONS && seemsUndone.length >= CORRECTIONS) return 'the answer shows it as kept';
  return orAnnouncedOnly(facts, stop, undone.length, CORRECTIONS);
}

/** True if the answer to a request shows the requested value, and a later list does not. */
function isShownOtherwise(facts: Facts, request: Exchanged, path: string, untilMs: number): boolean {
  const asked = [...leavesOfBody(request.body)].filter(([leaf]) => isUnder(leaf, path));
  const looks = facts
    .looksAt(request.id ?? '')
    .filter(({ beganMs, endedMs }) => beganMs >= request.beganMs && endedMs <= untilMs);
  const answer = looks.find(({ via, request: number }) => via === 'answer' && number === request.number);
  const shows = ({ leaves }: Look): boolean => asked.every(([leaf, value]) => alike(leaves.get(leaf), value));
  return answer !== undefined && shows(answer) && looks.some((look) => look.via === 'list' && !shows(look));
}

function budgetIsSpent(facts: Facts, stop: Stop, said: string): Truth {
  const sent = facts.exchanges.filter(
    (one) =>
      ['patch', 'create'].includes(one.operation) &&
      (one.operation === 'create' || one.id === stop.id) &&
      one.beganMs > stop.atMs - HOUR_MS &&
      one.beganMs <= stop.atMs &&
      (one.operation === 'create' || mayMakeRevision(one)),
  );
  return orAnnouncedOnly(facts, stop, sent.length, Number(said));
}

function hasRefused(facts: Facts, stop: Stop, counts: (status: number) => boolean): Truth {
  return facts.exchanges.some(
    ({ operation, status = 0, beganMs, ...one }) =>
      ((operation === 'patch' && one.id === stop.id) || operation === 'create') &&
      beganMs <= stop.atMs &&
      beganMs > stop.atMs - REFUSED_MS &&
      status >= 400 &&
      status < 500 &&
      counts(status),
  );
}

function wasRefused(facts: Facts, stop: Stop, said: string): Truth {
  return patchesOf(facts, stop).some((one) => isRefusal(one) && carries(one, stop, wirePath(said)));
}

/** True if a request asked for the path, and the service stored, or a list still shows, another value. */
function wasNotTaken(facts: Facts, stop: Stop, said: string): Truth {
  const path = wirePath(said);
  const sent = facts
    .dealtWith('patch')
    .filter((one) => one.id === stop.id && one.dealtMs <= stop.atMs && carries(one, stop, path));
  const wanted = [...leavesOfSpec(stop.object)].filter(([leaf]) => isUnder(leaf, path));
  const differs = (leaves: ReadonlyMap<string, never> | Look['leaves'] | undefined): boolean =>
    leaves !== undefined && wanted.some(([leaf, value]) => !alike(leaves.get(leaf), value));
  const kept = sent.some((one) =>
    wanted.some(
      ([leaf, value]) => !alike(leafOf(facts.chronicle.stateAt(stop.id, one.dealtMs + 1), leaf), value),
    ),
  );
  if (kept) return true;
  const [first] = sent;
  const late = facts
    .looksAt(stop.id)
    .some(
      (look) =>
        first !== undefined &&
        look.via === 'list' &&
        look.beganMs >= first.beganMs + TIMES.windowMs - TIMES.announcedMs &&
        look.endedMs <= stop.atMs &&
        differs(look.leaves),
    );
  if (late) return 'a list lags beyond the window';
  // Answers to later requests show a default in place of nothing.
  const later = facts.looksAt(stop.id).filter(({ via, beganMs, endedMs }) => {
    const isSince = first !== undefined && beganMs > first.dealtMs && endedMs <= stop.atMs;
    return isSince && via === 'answer';
  });
  return later.length > 0 && later.every(({ leaves }) => differs(leaves))
    ? 'no look shows the value as it is kept'
    : false;
}

/** True if the reference of the resource was edited after it was bound. */
function meansAnother(facts: Facts, { key, atMs }: Stop): Truth {
  const references = facts
    .versionsWithin(key, 0, atMs)
    .map(({ spec }) => JSON.stringify(spec.deploymentRef ?? null));
  return new Set(references).size > 1;
}

function namesIn(list: string): readonly string[] {
  return list.split(', ').map((name) => name.trim());
}

/**
 * True if a request with a list of secrets left these secrets out, and they existed after it, or a list still shows
 * them.
 */
function secretsStayed(facts: Facts, stop: Stop, said: string): Truth {
  const lists = facts
    .dealtWith('patch')
    .filter(
      ({ id, dealtMs, body }) => id === stop.id && dealtMs <= stop.atMs && Array.isArray(body['secrets']),
    );
  const newest = facts.looksAt(stop.id).findLast(({ endedMs }) => endedMs <= stop.atMs);
  const others = namesIn(said).filter((name) => {
    const path = `secrets.${name}`;
    return !lists.some(({ body, dealtMs }) => {
      const stays = leafOf(facts.chronicle.stateAt(stop.id, dealtMs + 1), path) !== undefined;
      return !leavesOfBody(body).has(path) && (stays || newest?.leaves.has(path) === true);
    });
  });
  if (others.length === 0) return true;
  return others.every((name) => wasLostWithoutTrace(facts, stop, `secrets.${name}`))
    ? 'the outcome was unknown'
    : false;
}

/**
 * True if the service keeps secrets that a list leaves out, and a request that left this secret out never arrived: every
 * secret in it existed with its value, so the service shows the same as after the request.
 */
function wasLostWithoutTrace(facts: Facts, stop: Stop, path: string): boolean {
  if (facts.chronicle.service.semantics(stop.id).lists === 'replace') return false;
  return patchesOf(facts, stop).some(({ body, dealtMs, beganMs }) => {
    const kept = facts.chronicle.stateAt(stop.id, beganMs);
    const sent = [...leavesOfBody(body)].filter(([leaf]) => leaf.startsWith('secrets.'));
    return (
      dealtMs === undefined &&
      sent.length > 0 &&
      leafOf(kept, path) !== undefined &&
      !leavesOfBody(body).has(path) &&
      sent.every(([leaf, value]) => alike(leafOf(kept, leaf), value))
    );
  });
}

/** True if secrets that the resource does not declare exist, or a list on which the status may rest still shows them. */
function areForeign(facts: Facts, stop: Stop, said: string): Truth {
  const state = facts.chronicle.stateAt(stop.id, stop.atMs);
  const written = openWrites(facts, stop);
  const earlier = written.map(({ beganMs }) => listAt(facts, stop.id, beganMs));
  const newest = listAt(facts, stop.id, stop.atMs);
  const isPassOver = newest === undefined || facts.passEndMs(newest) <= stop.atMs;
  const shown = [...(isPassOver ? [newest] : basesOf(facts, stop)), ...earlier];
  const declared = new Set((stop.object.spec.secrets ?? []).map(({ name }) => name));
  const names = namesIn(said);
  const paths = names.map((name) => `secrets.${name}`);
  if (names.some((name) => declared.has(name))) return false;
  const isThere = (path: string): boolean =>
    leafOf(state, path) !== undefined || shown.some((look) => look?.leaves.has(path) === true);
  if (paths.every(isThere)) return true;
  // If lists never show a secret, only the answer to our newest write shows what the service has.
  const answer = answerTo(facts, stop, written.at(-1));
  const isAnswered = (path: string): boolean => isThere(path) || answer?.leaves.has(path) === true;
  return paths.every(isAnswered) ? 'the answer shows it as kept' : false;
}

/**
 * Returns our requests after which a list may still show the secrets of an older state: the newest of the last window,
 * and those before it as long as no answer since shows secrets.
 */
function openWrites(facts: Facts, stop: Stop): readonly Dealt[] {
  const recent = facts
    .dealtWith('patch')
    .filter(
      ({ id, dealtMs }) => id === stop.id && dealtMs <= stop.atMs && dealtMs > stop.atMs - TIMES.windowMs,
    );
  const isSilent = (one: Dealt): boolean => answerTo(facts, stop, one)?.item['secrets'] === undefined;
  return recent.filter((one, at) => one === recent.at(-1) || recent.slice(at).every(isSilent));
}

function answerTo(facts: Facts, { id, atMs }: Stop, written: Dealt | undefined): Look | undefined {
  return facts
    .looksAt(id)
    .find(({ via, request, endedMs }) => via === 'answer' && request === written?.number && endedMs <= atMs);
}

/** Returns the lists and answers that the process of that time read. */
function looksOfProcess(facts: Facts, { atMs }: Stop): readonly Look[] {
  const fromMs = facts.chronicle.lastStartMs(0, atMs);
  const ids = new Set(facts.chronicle.service.deployments().map(({ id }) => id));
  return [...ids]
    .flatMap((id) => facts.looksAt(id))
    .filter(({ beganMs, endedMs }) => beganMs >= fromMs && endedMs <= atMs);
}

/** True if no list showed a secret of any deployment. */
function secretsAreHidden(facts: Facts, stop: Stop): Truth {
  return !looksOfProcess(facts, stop).some(
    ({ via, leaves }) => via === 'list' && [...leaves.keys()].some((path) => path.startsWith('secrets.')),
  );
}

/**
 * True if no look showed a secret with a value that our request had sent before. Of the requests of an earlier process, a
 * process knows the secrets that the status still records.
 */
function secretsAreMasked(facts: Facts, stop: Stop): Truth {
  const startMs = facts.chronicle.lastStartMs(0, stop.atMs);
  const recorded = stop.object.status?.applied?.secrets ?? {};
  const known = patchesOf(facts, stop).flatMap(({ beganMs, body }) =>
    [...leavesOfBody(body)]
      .filter(([path]) => path.startsWith('secrets.'))
      .filter(([path]) => beganMs >= startMs || Object.hasOwn(recorded, path.slice('secrets.'.length)))
      .map(([path, value]) => ({ path, value, beganMs })),
  );
  const looks = facts
    .looksAt(stop.id)
    .filter(({ via, beganMs, endedMs }) => via === 'list' && beganMs >= startMs && endedMs <= stop.atMs);
  return !looks.some((look) =>
    known.some(({ path, value, beganMs }) => beganMs <= look.beganMs && alike(look.leaves.get(path), value)),
  );
}

/** True if the newest list shows no resource spec of the deployment. */
function isHidden(facts: Facts, stop: Stop): Truth {
  const newest = listAt(facts, stop.id, stop.atMs);
  const config = newest?.item['source_config'] ?? null;
  return !isWireObject(config) || !isWireObject(config['resource_spec'] ?? null);
}

/** True if a branch that the spec does not declare is shown as the commit of the newest revision. */
function isBranchHidden(facts: Facts, { id, atMs, object }: Stop): Truth {
  if (object.spec.sourceRevisionConfig?.repoRef !== undefined) return false;
  const looks = facts
    .looksAt(id)
    .filter(({ endedMs, leaves }) => endedMs <= atMs && leaves.has('source_revision_config.repo_ref'));
  // The answer to a write counts for a window.
  const answer = looks.findLast(({ via, endedMs }) => via === 'answer' && endedMs > atMs - TIMES.windowMs);
  return [looks.at(-1), answer].some((look) => {
    const [shown, commit] = ['repo_ref', 'repo_commit_sha'].map((key) =>
      look?.leaves.get(`source_revision_config.${key}`),
    );
    return shown !== undefined && shown === commit;
  });
}

/** True if the service empties omitted fields, or if a person asks for whole bodies anyway. */
function omissionsAreEmptied(facts: Facts, stop: Stop): Truth {
  const { topLevelOmit, nested } = facts.chronicle.service.semantics(stop.id);
  if (topLevelOmit === 'cleared' || nested.sourceConfig === 'replace' || nested.revisionConfig === 'replace')
    return true;
  const isFull = facts.chronicle.connections.some(({ object }) => object?.spec.patch?.bodies === 'Full');
  const ids = new Set(facts.chronicle.changes.map(({ id }) => id));
  const taken = [...ids].some((id) => wasTakenMeanwhile(facts, id, '', stop.atMs));
  return isFull || (taken ? 'taken away while a write left it out' : false);
}

function secretsWereChanged(facts: Facts, stop: Stop): Truth {
  if (stop.object.spec.driftPolicy !== 'Report') return false;
  if (changedUnder(facts, stop, 'secrets')) return true;
  if (areNamesAsBefore(facts, stop)) return 'a list lags beyond the window';
  return isAnsweredOtherwise(facts, stop, 'secrets');
}

function changedUnder(facts: Facts, { id, atMs }: Stop, path: string): boolean {
  return facts
    .changesOf(id)
    .some(
      (change) =>
        change.request === undefined &&
        change.atMs <= atMs &&
        differsUnder(change.before?.content, change.after?.content, path),
    );
}

/** True if somebody else changed declared values. */
function wasChangedByOthers(facts: Facts, stop: Stop): Truth {
  const { spec } = stop.object;
  const paths = [...leavesOfSpec(stop.object).keys(), ...(spec.secrets === undefined ? [] : ['secrets'])];
  if (spec.driftPolicy !== 'Report') return false;
  if (paths.some((path) => changedUnder(facts, stop, path))) return true;
  if (wereTakenByUs(facts, stop, paths)) return true;
  if (
    isShownAsBefore(facts, stop) ||
    paths.some(
      (path) =>
        wasShownLate(facts, stop, path) || arrivedLate(facts, stop, path) || wasCarriedOn(facts, stop, path),
    )
  )
    return 'a list lags beyond the window';
  return (
    paths.map((path) => isAnsweredOtherwise(facts, stop, path)).find((truth) => truth !== false) ?? false
  );
}

/**
 * True if some of the paths are reported as lost, and our requests emptied a value of each of these that is still
 * empty.
 */
function wereTakenByUs(facts: Facts, { id, atMs, object }: Stop, paths: readonly string[]): boolean {
  const given = (object.status?.lost ?? []).map((path) =>
    path.startsWith('secrets.') ? path : wirePath(path),
  );
  const lost = given.filter((gone) => paths.some((path) => isUnder(path, gone)));
  const kept = facts.changesOf(id).map(({ before }) => before && leavesOfContent(before.content));
  const leaves = [...new Set(kept.flatMap((content) => [...(content?.keys() ?? [])]))];
  const isTaken = (leaf: string): boolean => {
    const last = facts.leafChanges(id, leaf).findLast((change) => change.atMs <= atMs);
    return last?.request !== undefined && isEmpty(last.after);
  };
  return lost.length > 0 && lost.every((gone) => leaves.some((leaf) => isUnder(leaf, gone) && isTaken(leaf)));
}

/**
 * True if the newest list differs, at or below a path, from the last answer before it that wrongly showed the declared
 * value, or else from the declared value. Then somebody may have changed it.
 */
function isAnsweredOtherwise(facts: Facts, { id, atMs, object }: Stop, path: string): Truth {
  const list = listAt(facts, id, atMs);
  if (list === undefined) return false;
  const answers = facts.looksAt(id).filter(({ via, endedMs }) => via === 'answer' && endedMs <= list.beganMs);
  const declared = leavesOfSpec(object).get(path);
  const answer =
    answers.findLast((look) => declared && isPretended(facts, id, [path, declared], look)) ??
    answers.findLast(({ leaves }) => [...leaves.keys()].some((leaf) => isUnder(leaf, path)));
  if (answer === undefined) return false;
  const paths = new Set(
    [...answer.leaves.keys(), ...list.leaves.keys()].filter((leaf) => isUnder(leaf, path)),
  );
  const differs = [...paths].some((leaf) => !alike(answer.leaves.get(leaf), list.leaves.get(leaf)));
  return differs ? 'the answer shows it as kept' : false;
}

/**
 * True if a request emptied a value, and a list from after its window still showed it. Then somebody may have removed
 * it later.
 */
function wasShownLate(facts: Facts, { id, atMs }: Stop, path: string): boolean {
  const emptied = facts.leafChanges(id, path).findLast((change) => change.atMs <= atMs);
  if (emptied?.request === undefined || !isEmpty(emptied.after)) return false;
  return facts
    .looksAt(id)
    .some(
      ({ via, beganMs, endedMs, leaves }) =>
        via === 'list' &&
        beganMs >= emptied.atMs + TIMES.windowMs &&
        endedMs <= atMs &&
        alike(leaves.get(path), emptied.before),
    );
}

/**
 * True if the newest list shows a value as it was before a request that ended a window ago, and took effect only after
 * its end.
 */
function arrivedLate(facts: Facts, { id, atMs }: Stop, path: string): boolean {
  const newest = listAt(facts, id, atMs);
  const change = facts.leafChanges(id, path).findLast((one) => one.atMs <= atMs);
  const request = facts.exchanges.find(({ number }) => number === change?.request);
  if (newest === undefined || change === undefined || request?.endedMs === undefined) return false;
  const isOver = request.endedMs <= newest.beganMs - TIMES.windowMs;
  return isOver && change.atMs > request.endedMs && alike(change.before, newest.leaves.get(path));
}

/**
 * True if the value is as our request carried it, because a list that lags beyond the window showed it so: under `Report`
 * a request repeats what somebody else seems to have changed.
 */
function wasCarriedOn(facts: Facts, { id, atMs, object }: Stop, path: string): boolean {
  const change = facts.leafChanges(id, path).findLast((one) => one.atMs <= atMs);
  const request = facts.exchanges.find(({ number }) => number === change?.request);
  if (request === undefined) return false;
  const carried = leavesOfBody(request.body).get(path);
  if (carried === undefined || alike(carried, leavesOfSpec(object).get(path))) return false;
  return alike(carried, change?.after) && facts.isFromLateList(request, path, carried);
}

/**
 * True if the newest list shows a declared value in another way than the service has stored it for a window, which begins
 * with the announcement of a write.
 */
function isShownAsBefore(facts: Facts, stop: Stop): boolean {
  const { id, atMs, object } = stop;
  const newest = listAt(facts, id, atMs);
  if (newest === undefined) return false;
  if (areNamesAsBefore(facts, stop)) return true;
  const kept = stateBefore(facts, id, newest);
  return [...leavesOfSpec(object).keys()].some((path) => {
    const [value, shown] = [leafOf(kept, path), newest.leaves.get(path)];
    // A list may show a default for a value that is not stored.
    const wasShown = ({ endedMs, leaves }: Look, atMs: number): boolean =>
      endedMs <= atMs && alike(leaves.get(path), shown);
    const changes = facts
      .leafChanges(id, path)
      .filter(
        (change) =>
          alike(change.before, shown) || facts.looksAt(id).some((look) => wasShown(look, change.atMs)),
      );
    return !alike(value, shown) && changes.length > 0;
  });
}

/** True if the newest list shows other names of secrets than the service has stored for a window. */
function areNamesAsBefore(facts: Facts, { id, atMs, object }: Stop): boolean {
  const newest = listAt(facts, id, atMs);
  if (newest === undefined || object.spec.secrets === undefined) return false;
  const kept = stateBefore(facts, id, newest);
  const names = (paths: Iterable<string>): string =>
    [...new Set(paths)]
      .filter((path) => path.startsWith('secrets.'))
      .toSorted()
      .join();
  return (
    names(newest.leaves.keys()) !== names(kept === undefined ? [] : leavesOfContent(kept.content).keys())
  );
}

/** Returns what the service stored a window before a list, which begins with the announcement of a write. */
function stateBefore(facts: Facts, id: string, { beganMs }: Look): DeploymentState | undefined {
  return facts.chronicle.stateAt(id, beganMs - TIMES.windowMs + TIMES.announcedMs);
}
