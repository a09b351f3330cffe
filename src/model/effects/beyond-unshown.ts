import { isEmpty, stableText } from '../desired/canonical-text.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isShown, type Written } from './effect-of.ts';
import { showsArrival } from './shows-arrival.ts';
import { showsBefore } from './shows-before.ts';
import { hasNeighbour } from './untouched.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { PatchBody } from '../external/patch-body.ts';

/** The most bodies to remember: lists cannot hide more within one window. */
const MOST_BODIES = 5;

/**
 * Returns a write with the memory of the answered writes before it that no list has shown yet: a later list may show
 * only their values.
 */
export function afterUnshown(earlier: Written | undefined, next: Written): Written {
  if (earlier?.answer === undefined || earlier.effect !== undefined) return next;
  return { ...next, unshown: [earlier.body, ...(earlier.unshown ?? [])].slice(0, MOST_BODIES) };
}

/** Returns the bodies of the earlier writes that no list before a write had shown. */
export function unlisted({ unshown = [], previous }: Written): readonly PatchBody[] {
  return previous === undefined ? unshown : [previous, ...unshown];
}

/**
 * Returns our newest write if no look has shown it, neither its answer nor a list: the write itself, or the repair of what
 * it emptied.
 */
export function unprovenIn(written: Written | undefined): Written | undefined {
  const newest = newestOf(written);
  return newest?.answer === undefined ? newest : undefined;
}

/** Returns our newest write that no list has shown: the write itself, or the repair of what it emptied. */
export function newestOf(written: Written | undefined): Written | undefined {
  return written?.effect === undefined ? written : written.effect.repair;
}

/** Returns the part of a body at the given paths. */
export function partAt(body: PatchBody, paths: readonly string[]): PatchBody {
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = body;
  const at = (prefix: string, fields: JsonObject = {}): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => paths.includes(`${prefix}.${key}`)));
  const spec = at('sourceConfig.resourceSpec', sourceConfig?.resourceSpec?.fields);
  return {
    sourceConfig: {
      fields: at('sourceConfig', sourceConfig?.fields),
      resourceSpec: { fields: spec, unknown: {} },
    },
    sourceRevisionConfig: at('sourceRevisionConfig', sourceRevisionConfig),
    ...(secrets && paths.includes('secrets') && { secrets }),
    ...(secretReferences && paths.includes('secretReferences') && { secretReferences }),
  };
}

/**
 * Returns a write without the values that earlier writes also requested, if no list has shown those writes: a list with
 * such a value may show only the earlier write. Returns the whole write if the list shows the revision from the write's
 * own answer.
 */
export function beyondUnshown(written: Written, list: ObservedDeployment): Written {
  const { before, body, answer, unshown = [] } = written;
  const made = answer?.latestRevisionID;
  const isOwn = made && made !== before.latestRevisionID && made === list.latestRevisionID;
  return isOwn ? written : { ...written, body: beyond(body, unshown) };
}

/** Returns a body without the values that other bodies also request. */
export function beyond(body: PatchBody, others: readonly PatchBody[]): PatchBody {
  return others.reduce(without, body);
}

/**
 * True if a list is older than an earlier answered write that no list has shown, and so older than the newest write: it
 * shows the old value of a field that only the earlier write carried; or it lacks the field and keeps another text of the
 * block. If the newest write had emptied the field, it would have emptied that text too.
 */
export function precedesUnshown(
  { before, listed = before, body, unshown = [], listedPaths, asIfHidden }: Written,
  list: ObservedDeployment,
): boolean {
  return unshown.some((earlier, at) => {
    const newer = new Map([body, ...unshown.slice(0, at)].flatMap(fieldsIn));
    const paths = fieldsIn(earlier).flatMap(([path, value]) =>
      isEmpty(value) || newer.has(path) ? [] : [path],
    );
    const isMissing = (path: string): boolean =>
      [listed, list].every((look) => isShown(look, path) === false) &&
      (asIfHidden !== true || listedPaths?.has(path) === true) &&
      hasNeighbour(path, { before: listed, body }, list);
    const sent = { before: listed, body: partAt(earlier, paths) };
    // Beside another new value of the same write, the service has ignored the field.
    return !showsArrival(sent, list) && (showsBefore(sent, list) || paths.some(isMissing));
  });
}

/**
 * True if a list counts as older than an earlier write only because it lacks fields that no list has shown yet: lists may
 * hide them.
 */
export function lacksUnlisted(written: Written, list: ObservedDeployment): boolean {
  return precedesUnshown(written, list) && !precedesUnshown({ ...written, asIfHidden: true }, list);
}

/** Returns the fields of a body outside its resource spec by path, including those to be emptied. */
function fieldsIn({ sourceConfig, sourceRevisionConfig }: PatchBody): readonly (readonly [string, Json])[] {
  const blocks = { sourceConfig: sourceConfig?.fields, sourceRevisionConfig };
  return Object.entries(blocks).flatMap(([block, fields = {}]) =>
    Object.entries(fields).map(([key, value]) => [`${block}.${key}`, value] as const),
  );
}

function without(body: PatchBody, asked: PatchBody): PatchBody {
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = body;
  const spec = sourceConfig?.resourceSpec;
  const askedSpec = asked.sourceConfig?.resourceSpec;
  return {
    ...body,
    ...(sourceConfig && {
      sourceConfig: {
        fields: rest(sourceConfig.fields, asked.sourceConfig?.fields),
        ...(spec && {
          resourceSpec: {
            fields: rest(spec.fields, askedSpec?.fields),
            unknown: rest(spec.unknown, askedSpec?.unknown),
          },
        }),
      },
    }),
    ...(sourceRevisionConfig && {
      sourceRevisionConfig: rest(sourceRevisionConfig, asked.sourceRevisionConfig),
    }),
    ...(secrets && {
      secrets: secrets.filter(
        ({ name, value }) =>
          asked.secrets?.some((other) => other.name === name && other.value.equals(value)) !== true,
      ),
    }),
    ...(secretReferences && {
      secretReferences: secretReferences.filter(
        ({ name }) => asked.secretReferences?.some((other) => other.name === name) !== true,
      ),
    }),
  };
}

/** Returns the fields that the other request did not contain with the same value. */
function rest(fields: JsonObject, asked: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => !Object.hasOwn(asked, key) || stableText(asked[key] ?? null) !== stableText(value),
    ),
  );
}
