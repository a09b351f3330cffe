import { isEmpty, stableText } from './canonical.ts';
import type { Json, JsonObject } from './json.ts';
import { askedOf, type Written } from './losses.ts';
import type { ObservedDeployment } from './observation.ts';
import type { SentSecret } from './patch-body.ts';

/** True when an answer shows something of the write that it belongs to; any other may be the state before it (N14). */
export function tellsOf(
  { before, body }: Pick<Written, 'before' | 'body'>,
  answer: ObservedDeployment,
): boolean {
  if (showsArrival({ before, body }, answer)) return true;
  // Somebody else may have made a revision meanwhile, and the answer still shows what was there before the write.
  return before.latestRevisionID !== answer.latestRevisionID && !showsBefore({ before, body }, answer);
}

/** True where something that a write was to change is shown as it was before. */
export function showsBefore(
  { before, body }: Pick<Written, 'before' | 'body'>,
  after: ObservedDeployment,
): boolean {
  return askedOf({ before, body }, after).some(([asked, was, is]) => stayed(asked, was, is));
}

function stayed(
  asked: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): boolean {
  return Object.entries(asked ?? {}).some(
    ([key, value]) =>
      !alike(before?.[key], value) && !isEmpty(before?.[key]) && alike(after?.[key], before?.[key]),
  );
}

/**
 * True when a read shows that a write arrived: something that it asked for is there, and was not there before. Any other
 * read may show the state before the write, for as long as the list may lag.
 */
export function showsArrival(
  { before, body }: Pick<Written, 'before' | 'body'>,
  after: ObservedDeployment,
): boolean {
  return (
    askedOf({ before, body }, after).some(([asked, was, is]) => appeared(asked, was, is)) ||
    (body.secrets ?? []).some((secret) => secretAppeared(secret, before, after)) ||
    (body.secretReferences ?? []).some(({ name }) => refersTo(after, name) && !refersTo(before, name))
  );
}

function appeared(
  asked: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): boolean {
  if (asked === undefined || after === undefined) return false;
  return Object.entries(asked).some(
    ([key, value]) => alike(after[key], value) && !alike(before?.[key], value),
  );
}

function alike(a: Json | undefined, b: Json | undefined): boolean {
  return isEmpty(a) ? isEmpty(b) : stableText(a ?? null) === stableText(b ?? null);
}

/** A name that was not listed, or where values are shown the one that was sent, in place of another. */
function secretAppeared(
  { name, value }: SentSecret,
  before: ObservedDeployment,
  after: ObservedDeployment,
): boolean {
  const [was, is] = [before, after].map((look) => look.secrets?.find((secret) => secret.name === name));
  if (is === undefined || was === undefined) return is !== undefined;
  return is.value?.equals(value) === true && was.value?.equals(value) !== true;
}

function refersTo({ secretReferences }: ObservedDeployment, name: string): boolean {
  return secretReferences?.some((reference) => reference.name === name) ?? false;
}
