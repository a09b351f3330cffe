import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import { keyText } from '../../../../src/api/metadata.ts';
import { type Facts, leafOf, type Look, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import {
  alike,
  isEmpty,
  type Leaves,
  leavesOfBody,
  leavesOfContent,
  leavesOfSpec,
  wirePath,
} from '../leaves.ts';
import { showsNothingOf } from '../taken-meanwhile.ts';

const RULE = 'what a request empties is put back, or reported';

/** A repair follows within the window of the write and two polls. A dead process restarts within that time. */
const REPAIR_MS = 2 * TIMES.windowMs + 3 * TIMES.pollMs;

/** The time of a request, and the time at which a repair is due. */
type Span = readonly [atMs: number, untilMs: number];

/**
 * Finds values that a service emptied because a request left them out, and that do not return. A change by a person or
 * a spec, or a report in an event or a condition, is sufficient.
 */
export function lostValues(facts: Facts): readonly Finding[] {
  return facts.chronicle.changes.flatMap(({ atMs, id, before, after, request }): readonly Finding[] => {
    if (request === undefined || before === undefined || after === undefined) return [];
    const sent = facts.exchanges.find(({ number }) => number === request);
    if (sent?.operation !== 'patch') return [];
    const asked = leavesOfBody(sent.body);
    const untilMs = repairedMs(facts, id, Math.max(atMs, pausedUntilMs(facts, id, atMs)));
    const lost = [...leavesOfContent(before.content)].filter(
      ([path]) =>
        isEmpty(leafOf(after, path)) &&
        !asked.has(path) &&
        !isToBeEmpty(facts, id, path, [atMs, untilMs]) &&
        !isRemoved(facts, id, path, sent.body, [atMs, untilMs]) &&
        !isRemovedAgain(facts, id, path, atMs),
    );
    return lost.flatMap(([path, value]): readonly Finding[] => {
      if (untilMs > facts.chronicle.endMs || isBack(facts, id, path, value, atMs)) return [];
      if (isTold(facts, id, path, atMs, untilMs)) return [];
      const text = `PATCH ${request} emptied ${path}, which nothing puts back and nothing names`;
      return [{ rule: RULE, atMs, text, excuse: excuseFor(facts, { id, path, atMs, request }) }];
    });
  });
}

/** True if the spec asks for an empty value, or does so before a repair is due. */
function isToBeEmpty(facts: Facts, id: string, path: string, [atMs, untilMs]: Span): boolean {
  return facts
    .boundTo(id, atMs)
    .some((key) =>
      facts.versionsWithin(key, atMs, untilMs).some((object) => leavesOfSpec(object).get(path) === null),
    );
}

/**
 * True if the spec leaves the value out of a list that it declares, or declared last, at the request or before a repair is
 * due. A request with the list removes the value, and so may any other request, if the spec named the value before or owns
 * the whole list.
 */
function isRemoved(
  facts: Facts,
  id: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
  [atMs, untilMs]: Span,
): boolean {
  const [list = ''] = path.split('.');
  if (list !== 'secrets' && list !== 'secret_references') return false;
  const name = path.slice(list.length + 1);
  const isNamed = ({ spec }: DeploymentResource): boolean =>
    [...(spec.secrets ?? []), ...(spec.secretReferences ?? [])].some((one) => one.name === name);
  const isLeftOut = (resource: DeploymentResource): boolean =>
    declaredIn(resource, list)?.every((one) => one.name !== name) === true;
  return facts.boundTo(id, atMs).some((key) => {
    const versions = facts.versionsWithin(key, 0, untilMs);
    // The service may have kept what the last declared list left out.
    const last = facts.versionsWithin(key, 0, atMs).findLast((one) => declaredIn(one, list) !== undefined);
    const asking = [...facts.versionsWithin(key, atMs, untilMs), ...(last === undefined ? [] : [last])];
    const isAsked = Array.isArray(body[list]) || asking.some(isLeftOut);
    return isAsked && versions.some((one) => one.spec.secretsOwnership === 'Exclusive' || isNamed(one));
  });
}

function declaredIn({ spec }: DeploymentResource, list: string): readonly { name: string }[] | undefined {
  return list === 'secrets' ? spec.secrets : spec.secretReferences;
}

/**
 * True if somebody else removed the value, a request put it back before a list had to show that, and this request removes
 * it again.
 */
function isRemovedAgain(facts: Facts, id: string, path: string, atMs: number): boolean {
  const changes = facts.leafChanges(id, path).filter((change) => change.atMs < atMs);
  const [removed, restored] = [changes.at(-2), changes.at(-1)];
  if (removed === undefined || restored === undefined || !alike(removed.before, restored.after)) return false;
  const isUnseen = restored.atMs - removed.atMs <= TIMES.windowMs + TIMES.announcedMs;
  return (
    isEmpty(removed.after) && removed.request === undefined && restored.request !== undefined && isUnseen
  );
}

/**
 * Returns the time at which a repair is due. A process that starts meanwhile has the full time again, and so has one
 * that writes again, since lists may then show the state before that write, and one whose list failed or whose
 * credential was refused, from the next list on.
 */
function repairedMs({ chronicle, exchanges }: Facts, id: string, fromMs: number): number {
  const lists = exchanges.filter(({ operation }) => operation === 'list');
  const failed = lists.flatMap(({ status, beganMs }, at) => {
    const nextMs = lists[at + 1]?.beganMs ?? chronicle.endMs;
    return status === 200 ? [] : [[beganMs, nextMs] as const];
  });
  // A refused credential stops the lists, after those that were on their way.
  const stopped = exchanges
    .filter(({ status }) => status === 401 || status === 403)
    .flatMap(({ beganMs }) => {
      const next = lists.find(({ beganMs: listMs }) => listMs > beganMs + TIMES.lookMs);
      return next === undefined ? [] : [[beganMs, next.beganMs] as const];
    });
  const written = exchanges.filter((one) => one.operation === 'patch' && one.id === id);
  const again = [...chronicle.startsMs, ...written.map(({ beganMs }) => beganMs)];
  return [...again.map((ms) => [ms, ms] as const), ...failed, ...stopped]
    .toSorted(([a], [b]) => a - b)
    .reduce(
      (untilMs, [atMs, againMs]) => (atMs > fromMs && atMs <= untilMs ? againMs + REPAIR_MS : untilMs),
      fromMs + REPAIR_MS,
    );
}

/**
 * Returns the time at which a person resumed the last resource that was paused after `atMs`. A paused resource reports
 * no losses.
 */
function pausedUntilMs(facts: Facts, id: string, atMs: number): number {
  return facts.boundTo(id, atMs).reduce((latestMs, key) => {
    const versions = facts.versionsOf(key);
    return versions.reduce((untilMs, { object }, at) => {
      const endsMs = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
      const isPaused = object?.metadata.annotations?.['dms-operator.dev/paused'] === 'true';
      return isPaused && endsMs > atMs ? Math.max(untilMs, endsMs) : untilMs;
    }, latestMs);
  }, 0);
}

/** True if the value returned, or a person or a spec changed it, at some time after the loss. */
function isBack(facts: Facts, id: string, path: string, value: WireJson, atMs: number): boolean {
  const later = facts.leafChanges(id, path).filter((change) => change.atMs > atMs);
  return later.some(
    (change) => change.request === undefined || alike(change.after, value) || !isEmpty(change.after),
  );
}

/** Matches the messages that report losses, and no others. */
const OF_LOSSES = /gone|lost|put back|emptied|empties|sen[dt] (?:these secrets )?back/;

/**
 * True if an event or a condition of the resource about losses names the path, or the secret, in time; or if its plan
 * contains a declared value that cannot be sent yet.
 */
function isTold(facts: Facts, id: string, path: string, atMs: number, untilMs: number): boolean {
  if (isPlanned(facts, id, path, [atMs, untilMs])) return true;
  const name = path.split('.').at(-1) ?? path;
  const plain = (text: string): string => text.replaceAll('_', '').toLowerCase();
  const keys = facts.boundTo(id, atMs);
  const texts = [
    ...facts.chronicle.events
      .filter(
        (told) =>
          told.atMs >= atMs &&
          told.atMs <= untilMs &&
          keys.some((key) => key.startsWith(`${keyText(told.about)} `)) &&
          ['SemanticsMismatch', 'UnmanagedSecretsLost'].includes(told.event.reason),
      )
      .map(({ event }) => event.message),
    ...keys.flatMap((key) =>
      facts
        .versionsWithin(key, atMs, untilMs)
        .flatMap(({ status }) => status?.conditions?.map(({ message }) => message) ?? []),
    ),
  ].filter((text) => OF_LOSSES.test(text));
  const block = path.includes('resource_spec') ? ['resourcespec'] : [];
  if (texts.some((text) => [plain(name), ...block].some((part) => plain(text).includes(part)))) return true;
  // A process that starts finds only the path of the whole list in the status, and no names.
  const [list = ''] = path.split('.');
  return (
    list === 'secrets' &&
    texts.some((text) => /gone after a write and not put back: [^;]*\bsecrets\b(?!\.)/.test(text))
  );
}

function isPlanned(
  facts: Facts,
  id: string,
  path: string,
  [atMs, untilMs]: readonly [number, number],
): boolean {
  return facts
    .boundTo(id, atMs)
    .flatMap((key) => facts.versionsWithin(key, atMs, untilMs))
    .some(({ status }) => status?.plan?.changes.some((change) => wirePath(change.path) === path));
}

/**
 * Returns the excuse for a loss. No process can miss a value that it never saw, and a value in the answer is not known
 * to be lost, unless that answer shows nothing of the request.
 */
function excuseFor(
  facts: Facts,
  lost: { readonly id: string; readonly path: string; readonly atMs: number; readonly request: number },
): ExcuseName | undefined {
  const { id, path, atMs, request } = lost;
  const looks = facts.looksAt(id);
  if (!looks.some(({ leaves, endedMs }) => endedMs <= atMs && leaves.has(path)))
    return 'no look has shown it';
  if (!looks.some(({ leaves, via }) => via === 'list' && leaves.has(path)))
    return 'only answers have shown it';
  // The window begins with the announcement of the request, even if the service carries it out late.
  const sentMs = facts.exchanges.find(({ number }) => number === request)?.beganMs ?? atMs;
  const dueMs = sentMs - TIMES.announcedMs + TIMES.windowMs;
  const late = looks.some(
    ({ via, beganMs, leaves }) => via === 'list' && beganMs >= dueMs && leaves.has(path),
  );
  if (late || wasLeftOutByLateList(facts, lost) || wasRestoredByLateList(facts, lost))
    return 'a list lags beyond the window';
  const answer = looks.find((look) => look.via === 'answer' && look.request === request);
  const sent = facts.dealtWith('patch').find(({ number }) => number === request);
  const isState = sent !== undefined && answer !== undefined && showsNothingOf(sent, answer);
  if (answer?.leaves.has(path) === true && !isState) return 'the answer shows it as kept';
  if (wasSetUnseen(facts, lost)) return 'edited after the last look';
  return isShownBySomebodyElse(facts, lost) ? 'somebody else did the same' : undefined;
}

/**
 * True if another client set an empty value, perhaps several times, and no look showed that before the start of the
 * request that emptied it.
 */
function wasSetUnseen(
  facts: Facts,
  lost: { readonly id: string; readonly path: string; readonly atMs: number; readonly request: number },
): boolean {
  const { id, path, atMs, request } = lost;
  const set = facts.leafChanges(id, path).findLast(({ before, atMs: ms }) => isEmpty(before) && ms <= atMs);
  const sent = facts.exchanges.find(({ number }) => number === request);
  if (sent === undefined || set === undefined || set.request !== undefined) return false;
  return facts
    .looksAt(id)
    .every((look) => look.beganMs < set.atMs || look.endedMs > sent.beganMs || look.request === request);
}

/**
 * True if no answer shows more of the block than the request asked for, and the first sign of the request in a list,
 * with the value still stored, is an earlier change by somebody else that a lagging list shows after the request. The
 * change has the requested values, perhaps in the spelling of the service, or another revision if no list shows the
 * values.
 */
function isShownBySomebodyElse(
  facts: Facts,
  { id, path, request }: { readonly id: string; readonly path: string; readonly request: number },
): boolean {
  const sent = facts.exchanges.find(({ number }) => number === request);
  const looks = facts.looksAt(id);
  if (sent?.found === undefined) return false;
  const [asked, held] = [leavesOfBody(sent.body), leavesOfContent(sent.found)];
  const answer = looks.find((look) => look.via === 'answer' && look.request === request);
  const [block = ''] = path.split('.');
  const leftOut = [...held.keys()].filter((leaf) => leaf.startsWith(`${block}.`) && !asked.has(leaf));
  if (leftOut.some((leaf) => answer?.leaves.has(leaf))) return false;
  const lists = looks.filter(({ via }) => via === 'list');
  const isListed = lists.some(({ leaves }) => [...asked].some(([leaf]) => leaves.has(leaf)));
  const shown = leavesOfBody(sent.shownBefore ?? {});
  const isAnswered = (leaves: Leaves, leaf: string): boolean =>
    !isEmpty(leaves.get(leaf)) && alike(leaves.get(leaf), answer?.leaves.get(leaf));
  const before = lists.findLast(({ endedMs }) => endedMs <= sent.beganMs);
  const signsIn = ({ leaves }: Look): readonly (readonly [string, WireJson])[] =>
    [...asked].filter(
      ([leaf, value]) =>
        (alike(leaves.get(leaf), value) || isAnswered(leaves, leaf)) &&
        !alike(leaves.get(leaf), before?.leaves.get(leaf)),
    );
  // If lists do not show the values, or only those that the request repeats, another revision is the sign of them.
  const isNew = (look: Look): boolean =>
    signsIn(look).length > 0 ||
    ([...asked].every(([leaf]) => alike(look.leaves.get(leaf), before?.leaves.get(leaf))) &&
      look.item['latest_revision_id'] !== before?.item['latest_revision_id']);
  const first = lists.find((look) => look.beganMs >= sent.beganMs && isNew(look));
  if (first?.leaves.has(path) !== true) return false;
  const signs = signsIn(first);
  return (
    !isListed ||
    (signs.length > 0 ? signs : [...asked]).every(
      ([leaf, value]) =>
        alike(held.get(leaf), value) ||
        isAnswered(shown, leaf) ||
        wasJustChanged(facts, { id, path: leaf, value, atMs: sent.beganMs }),
    )
  );
}

/** True if another client changed this value to another one so shortly before that a lagging list may still show it. */
function wasJustChanged(
  facts: Facts,
  {
    id,
    path,
    value,
    atMs,
  }: { readonly id: string; readonly path: string; readonly value: WireJson; readonly atMs: number },
): boolean {
  return facts
    .leafChanges(id, path)
    .some(
      (change) =>
        change.request === undefined &&
        alike(change.before, value) &&
        change.atMs <= atMs &&
        change.atMs > atMs - TIMES.windowMs,
    );
}

/**
 * True if the newest list before the request lacks the value, although the service had stored it for longer than the
 * window.
 */
function wasLeftOutByLateList(
  facts: Facts,
  { id, path, request }: { readonly id: string; readonly path: string; readonly request: number },
): boolean {
  const beganMs = facts.exchanges.find(({ number }) => number === request)?.beganMs ?? 0;
  const newest = facts.looksAt(id).findLast((look) => look.via === 'list' && look.endedMs <= beganMs);
  if (newest === undefined || newest.leaves.has(path)) return false;
  const kept = facts.leafChanges(id, path).findLast((change) => change.atMs <= newest.endedMs);
  if (kept === undefined || isEmpty(kept.after)) return false;
  return kept.atMs <= newest.beganMs - (kept.request === undefined ? 0 : TIMES.windowMs);
}

/**
 * True if a list showed the value beyond the window after a request had emptied it, so that the next request carried and
 * restored it, and the newest list before the loss, within the window after that, lacks it.
 */
function wasRestoredByLateList(
  facts: Facts,
  {
    id,
    path,
    atMs,
    request,
  }: { readonly id: string; readonly path: string; readonly atMs: number; readonly request: number },
): boolean {
  const set = facts.leafChanges(id, path).findLast((change) => change.atMs < atMs);
  const restored = facts.exchanges.find(({ number }) => number === set?.request);
  const sent = facts.exchanges.find(({ number }) => number === request);
  if (restored === undefined || sent === undefined || !isEmpty(set?.before) || set?.after === undefined)
    return false;
  const newest = facts.looksAt(id).findLast(({ via, endedMs }) => via === 'list' && endedMs <= sent.beganMs);
  const isOld = newest !== undefined && newest.beganMs < restored.beganMs + TIMES.windowMs;
  return isOld && !newest.leaves.has(path) && facts.isFromLateList(restored, path, set.after);
}
