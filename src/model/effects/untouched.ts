import { isEmpty, stableText } from '../desired/canonical-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { isText, staysBeside } from '../external/stays-beside.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { buildsImages, type PatchBody } from '../external/patch-body.ts';

/** A PATCH, and the deployment before it. */
export interface Sent {
  readonly before: ObservedDeployment;
  readonly body: PatchBody;
}

type Fields = JsonObject | undefined;

/** The fate of everything that a PATCH did not request (4.4 does not say whether it stays). */
export interface Untouched {
  /** The paths of blocks or keys that were shown before and are empty now. */
  readonly lost: readonly string[];
  /** The paths that were shown before and are shown now. */
  readonly kept: readonly string[];
}

/** A part that a write may lose: whether the request contained it, and its values before and after. */
interface Part {
  readonly path: string;
  readonly asked: boolean;
  readonly before: boolean;
  /** Whether it has a value now; undefined if its block is not shown. */
  readonly after: boolean | undefined;
}

/** Compares the fields that a write did not request, before and after it. Does not judge fields that are not shown. */
export function untouchedBy({ before, body }: Sent, after: ObservedDeployment): Untouched {
  const parts = [
    ...sourceConfigParts(before, body, after),
    ...revisionParts(before, body, after),
    ...listParts(before, body, after),
  ];
  const judged = parts.filter((part) => part.before && !part.asked && part.after !== undefined);
  return {
    lost: judged.filter((part) => part.after === false).map(({ path }) => path),
    kept: judged.filter((part) => part.after === true).map(({ path }) => path),
  };
}

/** Returns kept paths without a resource spec that shows only numbers and flags: these may be the service's defaults. */
export function withoutDefaults(
  kept: readonly string[],
  { sourceConfig }: ObservedDeployment,
): readonly string[] {
  const { fields = {}, unknown = {} } = sourceConfig?.resourceSpec ?? {};
  const values = [...Object.values(fields), ...Object.values(unknown)].filter((value) => !isEmpty(value));
  const isSet = values.some((value) => typeof value === 'string' || typeof value === 'object');
  return isSet ? kept : kept.filter((path) => path !== 'sourceConfig.resourceSpec');
}

/** Returns the keys of a resource spec that were sent as they were shown, and are no longer shown (N4). */
export function droppedBy({ before, body }: Sent, after: ObservedDeployment): readonly string[] {
  const shown = after.sourceConfig?.resourceSpec;
  if (shown === undefined) return [];
  const [was, sent, is] = [before.sourceConfig?.resourceSpec, body.sourceConfig?.resourceSpec, shown].map(
    (spec): JsonObject => ({ ...spec?.fields, ...spec?.unknown }),
  );
  return Object.entries(sent ?? {})
    .filter(([key, value]) => !isEmpty(value) && isEmpty(is?.[key]))
    .filter(([key, value]) => stableText(value) === stableText(was?.[key] ?? null))
    .map(([key]) => `sourceConfig.resourceSpec.${key}`);
}

/** Returns the existing values that a write leaves out; they are lost if the service empties omitted fields. */
export function leftOutBy({ before, body }: Sent): readonly string[] {
  return untouchedBy({ before, body }, before).kept;
}

/**
 * Returns the fields that the write left out and the answer does not show; all of them if the answer shows nothing of
 * the write. Their state is unknown, since an answer may repeat only the request (N14, N31).
 */
export function leftOpenBy(sent: Sent, answer: ObservedDeployment | undefined): readonly string[] {
  const shown = new Set(answer === undefined ? [] : untouchedBy(sent, answer).kept);
  return leftOutBy(sent).filter((path) => !shown.has(path));
}

/**
 * True if the write also left out another text of the same block, or a resource spec in it with a text, and the list
 * still shows a text there, even if edited since. A service that empties omitted fields would have emptied both.
 */
export function hasNeighbour(path: string, asListed: Sent, list: ObservedDeployment): boolean {
  const [block] = path.split('.');
  if (block !== 'sourceConfig' && block !== 'sourceRevisionConfig') return false;
  const was = asListed.before[block]?.fields;
  const texts = leftOutBy(asListed).filter((other) => isText(was?.[other.split('.')[1] ?? '']));
  return staysBeside(path, texts, list) || hasSpecBeside(path, asListed, list);
}

function hasSpecBeside(path: string, { before, body }: Sent, list: ObservedDeployment): boolean {
  const isBeside = path.startsWith('sourceConfig.') && path !== 'sourceConfig.resourceSpec';
  if (!isBeside || body.sourceConfig?.resourceSpec !== undefined) return false;
  const [was, is] = [before, list].map(({ sourceConfig }) => sourceConfig?.resourceSpec);
  return (['fields', 'unknown'] as const).some((part) =>
    Object.entries(was?.[part] ?? {}).some(([key, value]) => isText(value) && isText(is?.[part][key])),
  );
}

/** Returns the objects of a request, each with its values before and in a look. */
export function askedOf(
  { before, body }: Sent,
  after: ObservedDeployment,
): readonly (readonly [asked: Fields, was: Fields, is: Fields])[] {
  const [was, is] = [before.sourceConfig, after.sourceConfig];
  const spec = body.sourceConfig?.resourceSpec;
  return [
    [body.sourceConfig?.fields, was?.fields, is?.fields],
    [spec?.fields, was?.resourceSpec?.fields, is?.resourceSpec?.fields],
    [spec?.unknown, was?.resourceSpec?.unknown, is?.resourceSpec?.unknown],
    [body.sourceRevisionConfig, before.sourceRevisionConfig?.fields, after.sourceRevisionConfig?.fields],
  ];
}

function sourceConfigParts(
  before: ObservedDeployment,
  body: PatchBody,
  after: ObservedDeployment,
): readonly Part[] {
  const fields = before.sourceConfig?.fields ?? {};
  const shown = after.sourceConfig;
  const single = Object.keys(fields).map((key) => ({
    path: `sourceConfig.${key}`,
    asked: Object.hasOwn(body.sourceConfig?.fields ?? {}, key),
    before: !isEmpty(fields[key]),
    after: shown === undefined ? undefined : !isEmpty(shown.fields[key]),
  }));
  const had = valuesOf(before.sourceConfig?.resourceSpec);
  const has = valuesOf(shown?.resourceSpec);
  return [
    ...single,
    {
      path: 'sourceConfig.resourceSpec',
      asked: body.sourceConfig?.resourceSpec !== undefined,
      before: had.size > 0,
      // Defaults that fill an emptied block hide that it was emptied, so every previous key must still exist.
      after: shown === undefined ? undefined : [...had].every((key) => has.has(key)),
    },
  ];
}

/** Returns the keys of a resource spec that have a value. */
export function valuesOf(
  spec: { readonly fields: JsonObject; readonly unknown: JsonObject } | null | undefined,
): ReadonlySet<string> {
  const values = Object.entries({ ...spec?.fields, ...spec?.unknown });
  return new Set(values.filter(([, value]) => !isEmpty(value)).map(([key]) => key));
}

/**
 * Returns the parts of the revision block. Skips an image that the service built: it changes with revisions (H6), so
 * its absence means nothing.
 */
function revisionParts(
  before: ObservedDeployment,
  body: PatchBody,
  after: ObservedDeployment,
): readonly Part[] {
  const fields = before.sourceRevisionConfig?.fields ?? {};
  const shown = after.sourceRevisionConfig;
  const built = buildsImages(before);
  return Object.keys(fields)
    .filter((key) => key !== 'imageURI' || !built)
    .map((key) => ({
      path: `sourceRevisionConfig.${key}`,
      asked: Object.hasOwn(body.sourceRevisionConfig ?? {}, key),
      before: !isEmpty(fields[key]),
      after: shown === undefined ? undefined : !isEmpty(shown.fields[key]),
    }));
}

function listParts(before: ObservedDeployment, body: PatchBody, after: ObservedDeployment): readonly Part[] {
  return (['secrets', 'secretReferences'] as const).map((path) => ({
    path,
    asked: body[path] !== undefined,
    before: (before[path]?.length ?? 0) > 0,
    after: after[path] === undefined ? undefined : (after[path]?.length ?? 0) > 0,
  }));
}
