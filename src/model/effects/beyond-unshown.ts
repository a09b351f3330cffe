import { stableText } from '../desired/canonical-text.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Written } from './effect-of.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { PatchBody } from '../external/patch-body.ts';

/** More bodies than lists can hide within one window. */
const MOST_BODIES = 5;

/**
 * Makes a write that follows an answered one of which no list has shown anything yet: a later list may show the
 * values of the earlier write.
 */
export function afterUnshown(earlier: Written | undefined, next: Written): Written {
  if (earlier?.answer === undefined || earlier.effect !== undefined) return next;
  return { ...next, unshown: [earlier.body, ...(earlier.unshown ?? [])].slice(0, MOST_BODIES) };
}

/** The part of a body at some paths. */
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
 * A write less the values that earlier ones asked for too, while no list has shown those: the list that shows such a
 * value may show the earlier write alone. Under the revision that the answer made a list shows this write.
 */
export function beyondUnshown(written: Written, list: ObservedDeployment): Written {
  const { before, body, answer, unshown = [] } = written;
  const made = answer?.latestRevisionID;
  const isOwn = made && made !== before.latestRevisionID && made === list.latestRevisionID;
  return isOwn ? written : { ...written, body: unshown.reduce(without, body) };
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

/** The keys that were not asked for with the same value. */
function rest(fields: JsonObject, asked: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => !Object.hasOwn(asked, key) || stableText(asked[key] ?? null) !== stableText(value),
    ),
  );
}
