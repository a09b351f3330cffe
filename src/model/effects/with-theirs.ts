import { defined } from '../../base/defined.ts';
import type { DesiredField } from '../desired/desired-deployment.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { WHOLE_SPEC, type Written } from './effect-of.ts';
import type { Observation, ObservedDeployment } from '../external/observation.ts';
import { buildsImages } from '../external/patch-body.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { askedOf, type Sent } from './untouched.ts';

/** The parts of a write that tell its own values from those of others. */
type Own = Pick<Written, 'listed' | 'body' | 'endedMs'>;

/** Describes the creation that an answer shows: no value was there before, so others set what only lists show. */
export function creationIn(answer: Extract<Observation, { readonly kind: 'present' }>): Own | undefined {
  const { deployment, beganMs, via } = answer;
  const sourceConfig = deployment.sourceConfig && {
    fields: {},
    ...(deployment.sourceConfig.resourceSpec && { resourceSpec: { fields: {}, unknown: {} } }),
  };
  const listed = { ...deployment, ...defined({ sourceConfig }), sourceRevisionConfig: { fields: {} } };
  return via === 'answer' ? { listed, body: {}, endedMs: beganMs } : undefined;
}

/** The answer to a write, and a list after it. */
type Looks = Readonly<Record<'answer' | 'list', ObservedDeployment>>;

/**
 * Returns an answer that outranks a list, with the list's values for unmanaged fields, and for unmanaged keys of managed
 * maps, that the write did not change. Lists before the write showed these fields as the answer does. So if this list
 * shows them differently, it is no older state: somebody changed them since. A missing field counts only if the write
 * contained it.
 */
export function withTheirs(
  observation: Observation,
  written: Own | undefined,
  managed: readonly DesiredField[],
): Observation {
  if (observation.kind !== 'present' || written?.listed === undefined) return observation;
  const { outranked, deployment } = observation;
  if (outranked === undefined || outranked.older || outranked.beganMs < written.endedMs) return observation;
  const looks = { answer: deployment, list: outranked.deployment };
  if (precedesFirstRevision(looks)) return observation;
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

/** True if a list shows no revision although the answer does: its replica lags behind the first revision. */
function precedesFirstRevision({ answer, list }: Looks): boolean {
  return list.latestRevisionID === null && typeof answer.latestRevisionID === 'string';
}

/** The paths of the objects of a request, in the order of `askedOf`. */
export const OBJECTS = ['sourceConfig', WHOLE_SPEC, WHOLE_SPEC, 'sourceRevisionConfig'] as const;

/**
 * Returns the fields that an answer and a list show with different values. Excludes a branch that the list shows as the
 * commit that it was built from, and an image that the service built, which changes with revisions.
 */
export function shownOtherwise(answer: ObservedDeployment, list: ObservedDeployment): readonly string[] {
  return askedOf({ before: answer, body: {} }, list).flatMap(([, told = {}, shown = {}], at) =>
    Object.keys(told)
      .filter((key) => !isEmpty(told[key]) && !isEmpty(shown[key]) && !isAlike(told[key], shown[key]))
      .filter((key) => !looksLikeCommit(shown[key]) && !(key === 'imageURI' && buildsImages(answer)))
      .map((key) => `${OBJECTS[at] ?? ''}.${key}`),
  );
}

/** Returns the merged fields of each object in a request, in the order of `askedOf`. */
function theirFields(
  sent: Sent,
  { answer, list }: Looks,
  managed: ReadonlyMap<string, DesiredField>,
): (at: number, prefix: string) => JsonObject {
  const [told, shown] = [askedOf(sent, answer), askedOf(sent, list)];
  return (at, prefix) => {
    const [asked = {}, was = {}, is = {}] = told[at] ?? [];
    const now = shown[at]?.[2];
    if (now === undefined) return is;
    const theirs = Object.keys({ ...is, ...now }).flatMap((key): readonly (readonly [string, Json])[] => {
      const views = { asked: asked[key], was: was[key], is: is[key], now: now[key] };
      const shape = managed.get(`${prefix}.${key}`)?.field.shape.kind;
      if (shape === 'overlay') return isJsonObject(views.is) ? [[key, sharedMap(views)]] : [];
      if (shape !== undefined) return [];
      // A branch may be shown as the commit that it was built from.
      return isTheirs(views) && !looksLikeCommit(now[key]) ? [[key, now[key] ?? null]] : [];
    });
    return { ...is, ...Object.fromEntries(theirs) };
  };
}

/** A value as requested, as lists showed it before, as the answer shows it, and as the list does now. */
type Views = Readonly<Record<'asked' | 'was' | 'is' | 'now', Json | undefined>>;

/** True if others changed a value that the write did not change. */
function isTheirs({ asked, was, is, now }: Views): boolean {
  return isAlike(is, was) && !isAlike(now, was) && (!isEmpty(now) || asked !== undefined);
}

/**
 * Returns a managed map as the answer shows it, with the keys that others changed and that the write did not set. A list
 * counts only if it shows the keys that the write set. Any other list may be older, or hide some keys.
 */
function sharedMap({ asked, was, is, now }: Views): Json {
  if (!isJsonObject(is) || !isJsonObject(now)) return is ?? null;
  const viewsOf = (key: string): Views => ({
    asked: member(asked, key),
    was: member(was, key),
    is: member(is, key),
    now: member(now, key),
  });
  const keys = Object.keys({ ...is, ...now });
  const isSet = (key: string): boolean => !isAlike(member(asked, key), member(was, key));
  if (isJsonObject(asked) && keys.some((key) => isSet(key) && !isAlike(member(asked, key), now[key])))
    return is;
  const theirs = keys.filter((key) => isTheirs(viewsOf(key)));
  const kept = Object.entries(is).filter(([key]) => !theirs.includes(key));
  const changed = Object.entries(now).filter(([key]) => theirs.includes(key));
  return Object.fromEntries([...kept, ...changed]);
}

function member(map: Json | undefined, key: string): Json | undefined {
  return isJsonObject(map) && Object.hasOwn(map, key) ? map[key] : undefined;
}

function isAlike(a: Json | undefined, b: Json | undefined): boolean {
  return isEmpty(a) ? isEmpty(b) : stableText(a ?? null) === stableText(b ?? null);
}
