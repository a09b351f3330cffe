import type { ConnectionResource } from '../../../../src/api/connection.ts';
import type { WireJson, WireObject } from '../../../../src/wire/wire-json.ts';
import type { ServiceSemantics } from '../../../../src/simulator/switches/semantics.ts';
import { wereEditedAtOnce } from '../edited-at-once.ts';
import { type Facts, type Look, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import { alike, isEmpty, type Leaves, leavesOfBody, leavesOfContent } from '../leaves.ts';
import { isTakenMeanwhile, wasTakenMeanwhile } from '../taken-meanwhile.ts';

const RULE = 'what a connection learned is how the service behaves';

type Learned = NonNullable<NonNullable<ConnectionResource['status']>['learned']>;
type Topic = Exclude<keyof Learned, 'tenantID'>;

/** Returns whether a verdict about a service is true. */
type Truth = (verdict: string, semantics: ServiceSemantics) => boolean;

const nestedModes = ({ nested }: ServiceSemantics): readonly string[] => [
  nested.sourceConfig,
  nested.revisionConfig,
  nested.resourceSpec,
];

const TRUE_OF: Readonly<Record<Topic, Truth>> = {
  omittedFields: (verdict, semantics) => {
    const { topLevelOmit, nested } = semantics;
    const empties = [
      topLevelOmit === 'cleared',
      nested.sourceConfig === 'replace',
      nested.revisionConfig === 'replace',
    ];
    return verdict === 'Replace' ? empties.includes(true) : empties.includes(false);
  },
  nulls: (verdict, semantics) => {
    const modes = nestedModes(semantics);
    if (verdict === 'Clears') return modes.includes('merge-null-clears') || modes.includes('replace');
    if (verdict === 'Rejected') return modes.includes('merge-null-rejected');
    return modes.includes('merge-null-ignored') || Object.values(semantics.fieldRules).some(isFixed);
  },
  lists: (verdict, { lists }) =>
    verdict === 'Merge' ? lists !== 'replace' : lists === 'replace' || lists === 'empty-ignored',
  revisionTrigger: (verdict, { trigger }) =>
    verdict === 'Presence'
      ? ['on-presence', 'always'].includes(trigger)
      : !['on-presence', 'always'].includes(trigger),
  secretsVisibility: (verdict, { secretsEcho, listShape, fieldRules }) => {
    if (verdict === 'Plain') return secretsEcho === 'plain' && !('secrets' in fieldRules);
    if (verdict === 'Omitted') return secretsEcho === 'omitted' || listShape.some(hidesSecrets);
    if (verdict === 'NamesOnly') return secretsEcho === 'names-only';
    return !['plain', 'omitted', 'names-only'].includes(secretsEcho);
  },
  resourceSpecs: (verdict, { listShape, fieldRules }) =>
    verdict === 'Listed' || listShape.some(hidesSpecs) || 'source_config.resource_spec' in fieldRules,
};

/** True for the rule of a field that the service never changes, whatever a request contains. */
function isFixed(rule: string | undefined): boolean {
  return rule === 'ignored' || rule === 'pretended';
}

const SPECLESS: ReadonlySet<string> = new Set([
  'no-resource-spec',
  'resource-spec-null',
  'empty-source-config',
]);

function hidesSpecs(shape: string): boolean {
  return SPECLESS.has(shape);
}

function hidesSecrets(shape: string): boolean {
  return shape.includes('secrets');
}

/** Compares every verdict in the status of a connection with the switches of the service. */
export function verdicts(facts: Facts): readonly Finding[] {
  const { connections, service } = facts.chronicle;
  const semantics = service.semantics();
  const seen = new Set<string>();
  return connections.flatMap(({ atMs, key, object }) => {
    const { learned = {} } = object?.status ?? {};
    return Object.entries(learned).flatMap(([topic, lesson]): readonly Finding[] => {
      if (typeof lesson !== 'object' || !(topic in TRUE_OF)) return [];
      const text = `${key.kind} ${key.name} learned ${topic} ${lesson.verdict}, which is not so`;
      if (TRUE_OF[topic as Topic](lesson.verdict, semantics) || seen.has(text)) return [];
      seen.add(text);
      return [{ rule: RULE, atMs, text, excuse: excuseFor(facts, topic as Topic, lesson.verdict, atMs) }];
    });
  });
}

/**
 * Returns the excuse for a verdict. An act of a person at the time of a write looks like an effect of the service, so
 * the operator learns from it.
 */
function excuseFor(facts: Facts, topic: Topic, verdict: string, atMs: number): ExcuseName | undefined {
  const ids = [...new Set(facts.chronicle.changes.map(({ id }) => id))];
  if (topic === 'nulls' && verdict === 'Rejected')
    return wasRefusedAnyhow(facts, atMs) ? 'a refusal does not say what it refuses' : undefined;
  if (topic === 'revisionTrigger' && verdict === 'Presence')
    return unseenRevision(facts, atMs) ?? keptOtherwise(facts, atMs);
  if (topic === 'secretsVisibility' && verdict === 'Masked') {
    if (wereEditedUnseen(facts, atMs)) return 'values are not compared yet';
    return ids.some((id) => wereEditedAtOnce(facts, id, atMs))
      ? 'all secrets were edited at once'
      : undefined;
  }
  if (topic === 'omittedFields' && verdict === 'Keep') {
    if (wasKeptAnyhow(facts, atMs)) return 'a field that never changes is not emptied either';
    return wasDoneByOthers(facts, atMs) ? 'somebody else did the same' : undefined;
  }
  if (topic === 'nulls' && verdict === 'Clears' && wasGoneLongAgo(facts, atMs, emptiedBy))
    return 'a list lags beyond the window';
  if (topic === 'lists' && verdict === 'Replace') {
    if (wasGoneLongAgo(facts, atMs, droppedBy)) return 'a list lags beyond the window';
    return wasDroppedMeanwhile(facts, atMs) ? 'taken away while a write left it out' : undefined;
  }
  if (topic === 'omittedFields' && verdict === 'Replace' && wasGoneLongAgo(facts, atMs, leftOutBy))
    return 'a list lags beyond the window';
  if (topic === 'secretsVisibility' && verdict === 'Omitted')
    return wasThereLongAgo(facts, atMs) ? 'a list lags beyond the window' : undefined;
  const isLoss =
    (topic === 'omittedFields' && verdict === 'Replace') || (topic === 'nulls' && verdict === 'Clears');
  const taken = ids.some((id) => wasTakenMeanwhile(facts, id, '', atMs));
  return isLoss && taken ? 'taken away while a write left it out' : undefined;
}

/** True if a fault refused a request that asked to empty a field, whatever it carried. */
function wasRefusedAnyhow(facts: Facts, atMs: number): boolean {
  return facts.exchanges.some(
    ({ operation, status = 0, faults, body, endedMs = Number.POSITIVE_INFINITY }) =>
      operation === 'patch' &&
      endedMs <= atMs &&
      status >= 400 &&
      faults.includes('status') &&
      [...leavesOfBody(body).values()].includes(null),
  );
}

/** True if somebody changed all secrets of a request before any look showed one of them as it was sent. */
function wereEditedUnseen(facts: Facts, atMs: number): boolean {
  return facts.dealtWith('patch').some(({ id, body, dealtMs }) => {
    const sent = [...leavesOfBody(body)].filter(([path]) => path.startsWith('secrets.'));
    const looks = facts.looksAt(id).filter(({ beganMs, endedMs }) => beganMs >= dealtMs && endedMs <= atMs);
    const isEdited = ([path, value]: readonly [string, WireJson]): boolean =>
      looks.every(({ leaves }) => !alike(leaves.get(path), value)) &&
      facts
        .leafChanges(id, path)
        .some((change) => change.request === undefined && change.atMs >= dealtMs && change.atMs <= atMs);
    return sent.length > 0 && sent.every(isEdited);
  });
}

/**
 * True if all omitted fields that stayed are fields that the service never changes. An entry of a list that the request
 * carries is no omitted field: the rule for lists says whether it stays.
 */
function wasKeptAnyhow(facts: Facts, atMs: number): boolean {
  const { fieldRules } = facts.chronicle.service.semantics();
  return facts.dealtWith('patch').some(({ id, body, dealtMs }) => {
    const asked = leavesOfBody(body);
    const kept = facts.chronicle.stateAt(id, dealtMs);
    if (dealtMs > atMs || kept === undefined) return false;
    const stayed = [...leavesOfContent(kept.content)].filter(
      ([path, value]) => !asked.has(path) && !isEmpty(value) && !isOfSentList(path, body),
    );
    return stayed.length > 0 && stayed.every(([path]) => isFixed(fieldRules[path]));
  });
}

/**
 * True if no answer shows a value that a request emptied, and the first list with a requested or answered value still
 * shows that value: somebody else had set the requested values just before, or the service ignored the request and answered
 * with what somebody else had set, and the list is older than the request. A look in time for the request must not have
 * shown these values, since an older one would not excuse it.
 */
function wasDoneByOthers(facts: Facts, atMs: number): boolean {
  return facts.dealtWith('patch').some(({ id, number, body, beganMs, dealtMs, found }) => {
    const asked = [...leavesOfBody(body)];
    const looks = facts.looksAt(id).filter(({ endedMs }) => endedMs <= atMs);
    const lists = looks.filter(({ via }) => via === 'list');
    const before = lists.findLast((look) => look.endedMs <= beganMs);
    if (before === undefined || facts.passEndMs(before) < beganMs - TIMES.lookMs) return false;
    const answer = looks.find(({ request }) => request === number);
    const values = asked.flatMap(([path, value]) =>
      [value, answer?.leaves.get(path)].map((one) => [path, one] as const),
    );
    const signsIn = ({ leaves }: Look): readonly (readonly [string, WireJson | undefined])[] =>
      values.filter(([path, value]) => {
        const isShown = !isEmpty(value) && alike(leaves.get(path), value);
        return isShown && !alike(before.leaves.get(path), value);
      });
    const first = lists.find((look) => look.beganMs >= dealtMs && signsIn(look).length > 0);
    if (first === undefined || found === undefined) return false;
    const emptied = [...leavesOfContent(found).keys()].filter((path) =>
      facts.leafChanges(id, path).some(({ request, after }) => request === number && isEmpty(after)),
    );
    const isTold = looks.some(
      ({ request, leaves }) => request === number && emptied.some((path) => leaves.has(path)),
    );
    const isTheirs = ([path, value]: readonly [string, WireJson | undefined]): boolean => {
      const set = facts.leafChanges(id, path).findLast((change) => change.atMs <= first.endedMs);
      return set?.request === undefined && alike(set?.after, value);
    };
    return !isTold && emptied.some((path) => first.leaves.has(path)) && signsIn(first).every(isTheirs);
  });
}

/** True for an entry of a list that a request carries. */
function isOfSentList(path: string, body: WireObject): boolean {
  const [list = ''] = path.split('.');
  return ['secrets', 'secret_references'].includes(list) && Array.isArray(body[list]);
}

/** Returns the paths of a list that a request asks to empty. */
function emptiedBy(body: WireObject, list: Leaves): readonly string[] {
  const asked = [...leavesOfBody(body)].filter(([, value]) => value === null);
  return asked.flatMap(([path]) => (isEmpty(list.get(path)) ? [] : [path]));
}

/** Returns the paths of secrets in a list that a request with secrets leaves out. */
function droppedBy(body: WireObject, list: Leaves): readonly string[] {
  const asked = leavesOfBody(body);
  const names = [...list.keys()].filter((path) => path.startsWith('secrets.'));
  return Array.isArray(body['secrets']) ? names.filter((path) => !asked.has(path)) : [];
}

/**
 * True if a person removed a secret just before a list of secrets that leaves it out, and the answer lacks it as well. An
 * earlier list that left it out would have shown that the service keeps it.
 */
function wasDroppedMeanwhile(facts: Facts, atMs: number): boolean {
  const written = facts.dealtWith('patch').filter(({ dealtMs }) => dealtMs <= atMs);
  return written.some(({ id, number, body, beganMs, dealtMs }) => {
    const looks = facts.looksAt(id);
    const newest = looks.findLast((look) => look.via === 'list' && look.endedMs <= beganMs);
    const answer = looks.find((look) => look.via === 'answer' && look.request === number);
    if (newest === undefined || answer === undefined) return false;
    const earlier = written.filter((one) => one.id === id && one.dealtMs < dealtMs);
    const stayed = earlier.flatMap(({ body: sent, found }) =>
      found === undefined ? [] : droppedBy(sent, leavesOfContent(found)),
    );
    return droppedBy(body, newest.leaves).some((path) => {
      const edit = facts.leafChanges(id, path).findLast((change) => change.atMs <= dealtMs);
      if (edit === undefined || edit.request !== undefined || !isEmpty(edit.after)) return false;
      if (stayed.includes(path) || answer.leaves.has(path)) return false;
      return isTakenMeanwhile(facts, id, { path, editMs: edit.atMs, beforeMs: atMs });
    });
  });
}

/** Returns the paths in a list that a request leaves out. */
function leftOutBy(body: WireObject, list: Leaves): readonly string[] {
  const asked = leavesOfBody(body);
  const isThere = (path: string): boolean => path.startsWith('secrets.') || !isEmpty(list.get(path));
  return [...list.keys()].filter((path) => !asked.has(path) && isThere(path));
}

/**
 * True if the newest list before a request with secrets lacks another value of that request which the service had for
 * longer than the window: the next list seems to show that the request arrived, although nothing kept its secrets.
 */
function wasThereLongAgo(facts: Facts, atMs: number): boolean {
  return facts.exchanges.some(({ operation, id, body, beganMs }) => {
    if (operation !== 'patch' || beganMs > atMs || !Array.isArray(body['secrets'])) return false;
    const newest = facts.looksAt(id).findLast((look) => look.via === 'list' && look.endedMs <= beganMs);
    if (newest === undefined) return false;
    return [...leavesOfBody(body)].some(([path, value]) => {
      const last = facts.leafChanges(id, path).findLast((change) => change.atMs <= beganMs);
      const isOld = last !== undefined && last.atMs <= newest.beganMs - TIMES.windowMs;
      return isOld && alike(last.after, value) && !alike(newest.leaves.get(path), value);
    });
  });
}

/**
 * True if the newest list before a request shows a value that the request takes away, although it was gone for longer
 * than the window.
 */
function wasGoneLongAgo(
  facts: Facts,
  atMs: number,
  takenBy: (body: WireObject, list: Leaves) => readonly string[],
): boolean {
  return facts.dealtWith('patch').some(({ id, body, beganMs, dealtMs, found }) => {
    const held = found === undefined ? new Map<string, WireJson>() : leavesOfContent(found);
    const newest = facts.looksAt(id).findLast((look) => look.via === 'list' && look.endedMs <= beganMs);
    if (dealtMs > atMs || newest === undefined) return false;
    return takenBy(body, newest.leaves).some((path) => {
      const last = facts.leafChanges(id, path).findLast((change) => change.atMs <= beganMs);
      return isEmpty(held.get(path)) && last !== undefined && last.atMs <= newest.beganMs - TIMES.windowMs;
    });
  });
}

/**
 * Returns the excuse for a request that repeated a value of the revision block as the newest look showed it, while the
 * service kept another one, such as a name in capitals: to the service, the value as shown was a change.
 */
function keptOtherwise(facts: Facts, atMs: number): ExcuseName | undefined {
  const isChanged = facts.dealtWith('patch').some(({ id, body, beganMs, dealtMs, found }) => {
    const newest = facts.looksAt(id).findLast(({ endedMs }) => endedMs <= beganMs);
    if (dealtMs > atMs || found === undefined) return false;
    const kept = leavesOfContent(found);
    return [...leavesOfBody(body)].some(
      ([path, value]) =>
        path.startsWith('source_revision_config.') &&
        alike(newest?.leaves.get(path), value) &&
        !alike(kept.get(path), value),
    );
  });
  return isChanged ? 'no look shows the value as it is kept' : undefined;
}

/**
 * Returns the excuse for a revision that somebody else made before a request, and that no look before the request
 * shows: the newest list should show it, or the revision is not older than the window.
 */
function unseenRevision(facts: Facts, atMs: number): ExcuseName | undefined {
  const excuses = facts.dealtWith('patch').flatMap(({ id, beganMs, dealtMs }): readonly ExcuseName[] => {
    const looks = facts.looksAt(id).filter(({ endedMs }) => endedMs <= beganMs);
    const listedMs = looks.findLast(({ via }) => via === 'list')?.beganMs ?? 0;
    return facts.changesOf(id).flatMap(({ request, before, after, ...change }): readonly ExcuseName[] => {
      if (beganMs > atMs || request !== undefined || change.atMs > dealtMs) return [];
      const made = after?.revisions.at(-1)?.id;
      if (made === before?.revisions.at(-1)?.id) return [];
      if (looks.some(({ item }) => item['latest_revision_id'] === made)) return [];
      if (change.atMs >= beganMs - TIMES.windowMs) return ['edited after the last look'];
      return listedMs >= change.atMs + TIMES.windowMs ? ['a list lags beyond the window'] : [];
    });
  });
  return excuses[0];
}
