import { alike, isEmpty, stableText } from '../desired/canonical-text.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { askedOf, type Sent } from './untouched.ts';
import { folded } from '../external/is-spelling.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { looksLikeCommit } from '../external/shown.ts';

/**
 * True if something that a write was to change is shown with its old value, and that is not the service's spelling of
 * the new one (N36).
 */
export function showsBefore({ before, body }: Sent, after: ObservedDeployment): boolean {
  return askedOf({ before, body }, after).some(([asked, was, is]) => stayed(asked, was, is));
}

/** True if a list lacks a new key of a resource spec and shows other keys of it: lists do not hide the spec. */
export function lacksNewKey({ before, body }: Sent, list: ObservedDeployment): boolean {
  const [asked, was, is] = [body, before, list].map(({ sourceConfig }): JsonObject => {
    const { fields = {}, unknown = {} } = sourceConfig?.resourceSpec ?? {};
    return { ...fields, ...unknown };
  });
  const isListed = Object.values(is ?? {}).some((value) => !isEmpty(value));
  return (
    isListed &&
    Object.entries(asked ?? {}).some(
      ([key, value]) => !isEmpty(value) && isEmpty(was?.[key]) && isEmpty(is?.[key]),
    )
  );
}

function stayed(
  asked: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): boolean {
  return Object.entries(asked ?? {}).some(
    ([key, value]) =>
      spelled(before?.[key]) !== spelled(value) &&
      !isEmpty(before?.[key]) &&
      !looksLikeCommit(before?.[key]) &&
      alike(after?.[key], before?.[key]),
  );
}

/** Reduces a value to what every spelling preserves: texts without case and trailing slash, numbers rounded. */
export function spelled(value: Json | undefined): string {
  if (typeof value === 'string') return folded(value);
  return typeof value === 'number' ? String(Math.round(value)) : stableText(value ?? null);
}
