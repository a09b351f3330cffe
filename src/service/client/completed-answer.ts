import { defined } from '../../base/defined.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedDeployment, SourceConfigView } from '../../model/external/observation.ts';
import type { PatchBody } from '../../model/external/patch-body.ts';
import { sameShown } from '../list/snapshot.ts';

/** Parts of a deployment that a write may ask for. */
export const BLOCKS = ['sourceConfig', 'sourceRevisionConfig', 'secrets', 'secretReferences'] as const;

/** One of BLOCKS. */
export type AskedBlock = (typeof BLOCKS)[number];

/** Properties that a write does not change. If the answer does not show them, they keep their values from before. */
const KEPT = [...BLOCKS, 'source', 'tenantID', 'createdTime', 'imageVersion'] as const;

const LISTS = ['secrets', 'secretReferences'] as const;

/** A block that is a list. */
export type ListBlock = (typeof LISTS)[number];

/**
 * Returns the lists that an answer shows as empty although the write did not ask for that; some services show only some
 * blocks.
 */
export function hollowLists(answer: ObservedDeployment, body: PatchBody | undefined): readonly ListBlock[] {
  return LISTS.filter((list) => body?.[list] === undefined && answer[list]?.length === 0);
}

/** Returns the answer to a write, in which omitted parts keep their values from before. */
export function completed(
  answer: ObservedDeployment,
  before: ObservedDeployment | undefined,
  body: PatchBody | undefined,
): ObservedDeployment {
  const hollow: readonly string[] = hollowLists(answer, body);
  const isMissing = (key: (typeof KEPT)[number]): boolean =>
    answer[key] === undefined || hollow.includes(key);
  const missing = KEPT.filter((key) => isMissing(key) && before?.[key] !== undefined);
  const whole = { ...answer, ...Object.fromEntries(missing.map((key) => [key, before?.[key]])) };
  const [config, revision] = [answer.sourceConfig, answer.sourceRevisionConfig];
  return {
    ...whole,
    ...defined({ sourceConfig: config && completedConfig(config, before, body) }),
    ...(revision === undefined
      ? {}
      : {
          sourceRevisionConfig: {
            ...revision,
            fields: withKeys(
              revision.fields,
              before?.sourceRevisionConfig?.fields,
              body?.sourceRevisionConfig,
            ),
          },
        }),
  };
}

function completedConfig(
  shown: SourceConfigView,
  before: ObservedDeployment | undefined,
  body: PatchBody | undefined,
): SourceConfigView {
  const earlier = before?.sourceConfig;
  const fields = withKeys(shown.fields, earlier?.fields, body?.sourceConfig?.fields);
  const spec = shown.resourceSpec === undefined ? earlier?.resourceSpec : shown.resourceSpec;
  return { ...shown, fields, ...defined({ resourceSpec: spec }) };
}

/**
 * Adds the keys that are missing from a shown block, with their values from before, unless the write asked for them.
 */
function withKeys(
  shown: JsonObject,
  before: JsonObject | undefined,
  asked: JsonObject | undefined,
): JsonObject {
  const missing = Object.entries(before ?? {}).filter(
    ([key]) => !Object.hasOwn(shown, key) && !Object.hasOwn(asked ?? {}, key),
  );
  return { ...shown, ...Object.fromEntries(missing) };
}

/**
 * Replaces texts of the two config objects and keys of the resource spec that are as they were before a write, by those
 * of a later read.
 */
export function withLater(
  shown: ObservedDeployment,
  before: ObservedDeployment | undefined,
  read: ObservedDeployment,
): ObservedDeployment {
  const later = (is: JsonObject = {}, was: JsonObject = {}, then: JsonObject = {}): JsonObject => ({
    ...is,
    ...Object.fromEntries(
      Object.entries(then).filter(([key]) => Object.hasOwn(is, key) && sameShown(is[key], was[key])),
    ),
  });
  const { sourceConfig, sourceRevisionConfig } = shown;
  const fieldsOf = (block: 'sourceConfig' | 'sourceRevisionConfig'): JsonObject =>
    later(shown[block]?.fields, before?.[block]?.fields, read[block]?.fields);
  return {
    ...shown,
    ...(sourceConfig && {
      sourceConfig: {
        ...sourceConfig,
        fields: fieldsOf('sourceConfig'),
        ...defined({ resourceSpec: specWithLater(sourceConfig.resourceSpec, before, read) }),
      },
    }),
    ...(sourceRevisionConfig && {
      sourceRevisionConfig: { ...sourceRevisionConfig, fields: fieldsOf('sourceRevisionConfig') },
    }),
  };
}

type Spec = SourceConfigView['resourceSpec'];

/** Does the same for the resource spec. A key that the read lacks beside other keys was removed. */
function specWithLater(is: Spec, before: ObservedDeployment | undefined, read: ObservedDeployment): Spec {
  const [was, then] = [before, read].map((look) => look?.sourceConfig?.resourceSpec);
  if (!is || !was || !then) return is;
  const later = (part: 'fields' | 'unknown'): JsonObject =>
    Object.fromEntries(
      Object.entries(is[part]).flatMap(([key, value]) => {
        if (!sameShown(value, was[part][key])) return [[key, value]];
        const now = then[part][key];
        return now === undefined ? [] : [[key, now]];
      }),
    );
  return { ...is, fields: later('fields'), unknown: later('unknown') };
}
