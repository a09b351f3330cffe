import { defined } from '../../base/defined.ts';
import type { DesiredField } from '../desired/desired-deployment.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Written } from './effect-of.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { askedOf, type Sent } from './untouched.ts';

/**
 * Returns an answer that outranks a list, with the list's values for unmanaged fields, and for unmanaged keys of managed
 * maps, that the write did not change. Lists before the write showed these fields as the answer does. So if this list
 * shows them differently, it is no older state: somebody changed them since. A missing field counts only if the write
 * contained it.
 */
export function withTheirs(
  observation: Observation,
  written: Written | undefined,
  managed: readonly DesiredField[],
): Observation {
  if (observation.kind !== 'present' || written?.listed === undefined) return observation;
  const { outranked, deployment } = observation;
  if (outranked === undefined || outranked.beganMs < written.endedMs) return observation;
  const looks = { answer: deployment, list: outranked.deployment };
  const ours = new Map(managed.map((desired) => [desired.field.path, desired]));
  const fieldsAt = theirFields({ before: written.listed, body: written.body }, looks, ours);
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
  managed: ReadonlyMap<string, DesiredField>,
): (at: number, prefix: string) => JsonObject {
  const [told, shown] = [askedOf(sent, answer), askedOf(sent, list)];
  return (at, prefix) => {
    const [asked = {}, was = {}, is = {}] = told[at] ?? [];
    const now = shown[at]?.[2];
    if (now === undefined) return is;
    const merged = merge({ asked, was, is, now }, (key) => managed.has(`${prefix}.${key}`));
    const maps = Object.keys(is).flatMap((key) => {
      const ours = keysOf(managed.get(`${prefix}.${key}`));
      return ours !== undefined ? [[key, mergedMap(ours, [asked[key], was[key], is[key], now[key]])]] : [];
    });
    return { ...merged, ...Object.fromEntries(maps) };
  };
}

/** One object of a request: as requested, as lists showed it before, as the answer shows it, and as the list does now. */
interface Views {
  readonly asked: JsonObject;
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly now: JsonObject;
}

/** Returns the fields of an answer, with those of the list that others changed. */
function merge({ asked, was, is, now }: Views, isOurs: (key: string) => boolean): JsonObject {
  const isTheirs = (key: string): boolean =>
    !isOurs(key) &&
    // A branch may be shown as the commit that it was built from.
    !looksLikeCommit(now[key]) &&
    isAlike(is[key], was[key]) &&
    !isAlike(now[key], was[key]) &&
    (!isEmpty(now[key]) || Object.hasOwn(asked, key));
  const theirs = Object.keys({ ...is, ...now }).filter(isTheirs);
  return { ...is, ...Object.fromEntries(theirs.map((key) => [key, now[key] ?? null])) };
}

/** Returns the desired keys of a map of which others may own the rest. */
function keysOf(desired: DesiredField | undefined): JsonObject | undefined {
  const { field, value } = desired ?? {};
  return field?.shape.kind === 'overlay' && isJsonObject(value) ? value : undefined;
}

/** Returns a managed map of an answer, of which others own the keys that are not desired. */
function mergedMap(ours: JsonObject, [asked, was, is, now]: readonly (Json | undefined)[]): JsonObject {
  const map = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
  const views = { asked: map(asked), was: map(was), is: map(is), now: map(now) };
  const merged = merge(views, (key) => Object.hasOwn(ours, key));
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function isAlike(a: Json | undefined, b: Json | undefined): boolean {
  return isEmpty(a) ? isEmpty(b) : stableText(a ?? null) === stableText(b ?? null);
}
