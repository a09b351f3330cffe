import { isDeepStrictEqual } from 'node:util';
import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import type { Version } from '../chronicle.ts';
import { type Facts, leafOf, TIMES } from '../facts.ts';
import type { Finding } from '../finding.ts';
import { wasTakenMeanwhile } from '../taken-meanwhile.ts';
import { alike, isEmpty, isUnder, leavesOfBody, leavesOfContent, wirePath } from '../leaves.ts';

const RULE = 'status and events agree with the request log';

/** The longest time until a request is reported: the record follows its answer, or the window of an unknown outcome. */
const TOLD_MS = 2 * TIMES.windowMs + 2 * TIMES.pollMs;

/** Events that report a sent request. */
const SENT = new Set(['PatchSent', 'DriftCorrected', 'SecretsRotated']);

/** Compares reports about requests with the requests. */
export function toldOtherwise(facts: Facts): readonly Finding[] {
  return [...sentEvents(facts), ...emptiedEvents(facts), ...withheldSecrets(facts)];
}

/** Finds events about sent paths that name none, or name paths that no request carries. */
function sentEvents(facts: Facts): readonly Finding[] {
  return facts.chronicle.events.flatMap(({ atMs, about, event }): readonly Finding[] => {
    if (!SENT.has(event.reason)) return [];
    const paths = [...event.message.matchAll(/(?:sent|put back) ([^;]*)/g)].flatMap(([, list = '']) =>
      pathsIn(list),
    );
    const text = `${about.name}: ${event.reason} says "${event.message}"`;
    if (paths.length === 0) return [{ rule: RULE, atMs, text: `${text}, which names nothing` }];
    const id = facts.versionAt(about, atMs)?.object?.status?.deploymentID;
    // A request that a proxy answered instead of the service also counts as sent.
    const sent = facts.exchanges.filter(({ operation, beganMs, ...request }) => {
      return operation === 'patch' && request.id === id && beganMs <= atMs && beganMs >= atMs - TOLD_MS;
    });
    const carries = (path: string): boolean =>
      sent.some(({ body }) =>
        [...leavesOfBody(body).keys(), ...listsOf(body)].some((leaf) => isUnder(leaf, path)),
      );
    const missing = paths.filter((path) => !carries(path));
    if (missing.length === 0) return [];
    return [{ rule: RULE, atMs, text: `${text}, and no request carries ${missing.join(', ')}` }];
  });
}

/**
 * Finds events that report a value as emptied by the service, unless our request changed the value, and no other change
 * did.
 */
function emptiedEvents(facts: Facts): readonly Finding[] {
  return facts.chronicle.events.flatMap(({ atMs, about, event }): readonly Finding[] => {
    if (event.reason !== 'SemanticsMismatch' || about.kind !== 'Deployment') return [];
    const list = /emptied fields that a request left out; the operator puts them back: (.*)$/.exec(
      event.message,
    )?.[1];
    if (list === undefined) return [];
    const id = facts.versionAt(about, atMs)?.object?.status?.deploymentID ?? '';
    const wrong = pathsIn(list).filter((path) => !wasEmptiedByUs(facts, id, path, atMs));
    if (wrong.length === 0) return [];
    const text = `${about.name}: the event says that the service emptied ${wrong.join(', ')}, which it did not`;
    const taken = wrong.every((path) => wasTakenMeanwhile(facts, id, path, atMs));
    const newest = facts.looksAt(id).findLast(({ via, endedMs }) => via === 'list' && endedMs <= atMs);
    const isLate = newest !== undefined && wrong.every((path) => facts.isLate(newest, id, path, null));
    const late = isLate ? 'a list lags beyond the window' : undefined;
    return [{ rule: RULE, atMs, text, excuse: taken ? 'taken away while a write left it out' : late }];
  });
}

function wasEmptiedByUs(facts: Facts, id: string, path: string, beforeMs: number): boolean {
  return facts
    .changesOf(id)
    .filter(({ request, atMs }) => request !== undefined && atMs <= beforeMs)
    .some(({ before, after }) => {
      if (before === undefined || after === undefined) return false;
      const had = [...leavesOfContent(before.content).keys()].filter((leaf) => isUnder(leaf, path));
      return had.some(
        (leaf) => isEmpty(leafOf(after, leaf)) || !alike(leafOf(after, leaf), leafOf(before, leaf)),
      );
    });
}

/**
 * Finds requests that change a secret while a status says that secrets are not sent. A status that still only announces
 * the request says nothing about it, even if somebody edits the spec meanwhile.
 */
function withheldSecrets(facts: Facts): readonly Finding[] {
  return facts.dealtWith('patch').flatMap((request): readonly Finding[] => {
    const held = request.found === undefined ? new Map<string, unknown>() : leavesOfContent(request.found);
    const changed = [...leavesOfBody(request.body)].filter(
      ([path, value]) => path.startsWith('secrets.') && !alike(value, held.get(path) as never),
    );
    if (changed.length === 0) return [];
    return facts.boundTo(request.id, request.beganMs).flatMap((key): readonly Finding[] => {
      const announced = facts.versionAt(key, request.beganMs)?.object?.status;
      const isSilent = ({ object }: Version<DeploymentResource>): boolean =>
        announced?.pendingWrite !== undefined && isDeepStrictEqual(object?.status, announced);
      const after = facts
        .versionsOf(key)
        .find((version) => version.atMs >= (request.endedMs ?? request.dealtMs) && !isSilent(version));
      const said = after?.object?.status?.conditions?.find(({ type }) => type === 'Synced')?.message ?? '';
      if (!said.includes('secrets are not sent')) return [];
      const paths = changed.map(([path]) => path).join(', ');
      const text = `${key}: PATCH ${request.number} changes ${paths} while the status says that secrets are not sent`;
      // A whole body carries the secrets that are held back as the newest list shows them.
      const isLate = changed.every(([path, value]) => facts.isFromLateList(request, path, value));
      const excuse = isLate ? 'a list lags beyond the window' : undefined;
      return [{ rule: RULE, atMs: request.beganMs, text, excuse }];
    });
  });
}

/** Returns the paths of the custom resource in a text, in wire names. */
function pathsIn(list: string): readonly string[] {
  return list
    .split(', ')
    .map((path) => path.trim())
    .filter((path) => path !== '' && !path.includes(' '))
    .map(wirePath);
}

/** Returns the lists in a request, including empty ones. */
function listsOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  return ['secrets', 'secret_references'].filter((list) => Array.isArray(body[list]));
}
