import type { Facts } from '../facts.ts';
import type { Finding } from '../finding.ts';

const RULE = 'in the end what is declared is carried out, or a reason says what stops it';

/** The time after the last event in which all running work ends: windows, short rollouts, and rare looks. */
export const SETTLED_MS = 1_200_000;

/** Reasons of running work. */
const PASSING: ReadonlySet<string> = new Set([
  'Pending',
  'Sent',
  'OutcomeUnknown',
  'Retrying',
  'CreatePending',
  'NotVisibleYet',
  'none',
]);

/** Finds resources that still have work at the end, or are in sync with an old spec. */
export function liveness(facts: Facts): readonly Finding[] {
  const { chronicle } = facts;
  const { endMs } = chronicle;
  const restless = Math.max(...facts.troublesMs);
  if (endMs - restless < SETTLED_MS) return [];
  return facts.resourceKeys.flatMap((key): readonly Finding[] => {
    const versions = facts.versionsOf(key);
    const object = versions.at(-1)?.object;
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return [];
    const { generation, annotations } = object.metadata;
    const declared = versions.findLast(
      (version, at) =>
        JSON.stringify([version.object?.metadata.generation, version.object?.metadata.annotations]) !==
        JSON.stringify([
          versions[at - 1]?.object?.metadata.generation,
          versions[at - 1]?.object?.metadata.annotations,
        ]),
    );
    if (endMs - (declared?.atMs ?? 0) < SETTLED_MS) return [];
    if (annotations?.['dms-operator.dev/paused'] === 'true') return [];
    const synced = object.status?.conditions?.find(({ type }) => type === 'Synced');
    const reason = synced?.reason ?? 'none';
    const text = `${key} ends as ${reason} of generation ${synced?.observedGeneration ?? 0}, declared is ${generation ?? 0}`;
    const isOld = synced?.status === 'True' && synced.observedGeneration !== generation;
    return PASSING.has(reason) || isOld ? [{ rule: RULE, atMs: endMs, text }] : [];
  });
}
