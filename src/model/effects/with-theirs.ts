import { defined } from '../../base/defined.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Written } from './effect-of.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { askedOf, type Sent } from './untouched.ts';

/**
 * Returns an answer that outranks a list, with the list's values for unmanaged fields that the write did not change.
 * Lists before the write showed these fields as the answer does. So if this list shows them differently, it is no older
 * state: somebody changed them since. A missing field counts only if the write contained it.
 */
export function withTheirs(
  observation: Observation,
  written: Written | undefined,
  managed: ReadonlySet<string>,
): Observation {
  if (observation.kind !== 'present' || written?.listed === undefined) return observation;
  const { outranked, deployment } = observation;
  if (outranked === undefined || outranked.beganMs < written.endedMs) return observation;
  const looks = { answer: deployment, list: outranked.deployment };
  const fieldsAt = theirFields({ before: written.listed, body: written.body }, looks, managed);
  const { sourceConfig, sourceRevisionConfig } = deployment;
  const spec = sourceConfig?.resourceSpec;
  const resourceSpec = spec && {
    fields: fieldsAt(1, 'sourceConfig.resourceSpec'),
    unknown: fieldsAt(2, 'sourceConfig.resourceSpec'),
  };
  return {
    ...observation,
    deployment: {
      ...deployment,
      ...(sourceConfig && {
        sourceConfig: { fields: fieldsAt(0, 'sourceConfig'), ...defined({ resourceSpec }) },
      }),
      ...(sourceRevisionConfig && {
        sourceRevisionConfig: { ...sourceRevisionConfig, fields: fieldsAt(3, 'sourceRevisionConfig') },
      }),
    },
  };
}

/** Returns the merged fields of each object in a request, in the order of `askedOf`. */
function theirFields(
  sent: Sent,
  { answer, list }: Readonly<Record<'answer' | 'list', ObservedDeployment>>,
  managed: ReadonlySet<string>,
): (at: number, prefix: string) => JsonObject {
  const [told, shown] = [askedOf(sent, answer), askedOf(sent, list)];
  return (at, prefix) => {
    const [asked = {}, was = {}, is = {}] = told[at] ?? [];
    const now = shown[at]?.[2];
    if (now === undefined) return is;
    const isTheirs = (key: string): boolean =>
      !managed.has(`${prefix}.${key}`) &&
      // A branch may be shown as the commit that it was built from.
      !looksLikeCommit(now[key]) &&
      isAlike(is[key], was[key]) &&
      !isAlike(now[key], was[key]) &&
      (!isEmpty(now[key]) || Object.hasOwn(asked, key));
    const theirs = Object.keys({ ...is, ...now }).filter(isTheirs);
    return { ...is, ...Object.fromEntries(theirs.map((key) => [key, now[key] ?? null])) };
  };
}

function isAlike(a: Json | undefined, b: Json | undefined): boolean {
  return isEmpty(a) ? isEmpty(b) : stableText(a ?? null) === stableText(b ?? null);
}
