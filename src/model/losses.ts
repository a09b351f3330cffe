import { isEmpty, stableText } from './canonical.ts';
import type { JsonObject } from './json.ts';
import type { ObservedDeployment } from './observation.ts';
import type { PatchBody } from './patch-body.ts';

/** A PATCH of ours that was answered, or may have arrived: what was shown before it, and what it asked for. */
export interface Written {
  readonly before: ObservedDeployment;
  readonly body: PatchBody;
  /** Reads begun before show nothing of it; for one that was not answered the end of the window. */
  readonly endedMs: number;
  /** Reads begun before may still show the state before it, since a list may lag (N30). */
  readonly dueMs: number;
  /** False where no answer came: what is lost then was lost by it, but what is kept proves nothing. */
  readonly answered?: boolean;
  /** True where the answer itself showed that something was lost, which was told then. */
  readonly lossTold?: boolean;
}

/** What became of everything that a PATCH did not ask for (4.4 does not say whether it stays). */
export interface Untouched {
  /** Shown before, shown empty now; paths of blocks or of keys. */
  readonly lost: readonly string[];
  /** Shown before and now. */
  readonly kept: readonly string[];
}

/** A part that a write may lose: whether it stood in the request, and what was shown of it before and after. */
interface Part {
  readonly path: string;
  readonly asked: boolean;
  readonly before: boolean;
  /** Undefined where the block it belongs to is not shown. */
  readonly after: boolean | undefined;
}

/** Compares what was not asked for before and after a write; what is not shown is not judged. */
export function untouchedBy(
  { before, body }: Pick<Written, 'before' | 'body'>,
  after: ObservedDeployment,
): Untouched {
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

/** Keys of a resource spec that were sent as they were shown, and are shown no more (N4). */
export function droppedBy(
  { before, body }: Pick<Written, 'before' | 'body'>,
  after: ObservedDeployment,
): readonly string[] {
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

/** True when a write leaves something out that could be lost if the service replaced what is omitted. */
export function hasSomethingToLose(before: ObservedDeployment, body: PatchBody): boolean {
  return untouchedBy({ before, body }, before).kept.length > 0;
}

/** What is shown now, with everything that was lost put back as it was. */
export function restored(
  { before }: Written,
  now: ObservedDeployment,
  lost: readonly string[],
): ObservedDeployment {
  const back = (path: string): boolean => lost.includes(path);
  const keys = (prefix: string, was: JsonObject | undefined): JsonObject =>
    Object.fromEntries(Object.entries(was ?? {}).filter(([key]) => back(`${prefix}.${key}`)));
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = before;
  const spec = back('sourceConfig.resourceSpec')
    ? sourceConfig?.resourceSpec
    : now.sourceConfig?.resourceSpec;
  return {
    ...now,
    sourceConfig: {
      fields: { ...now.sourceConfig?.fields, ...keys('sourceConfig', sourceConfig?.fields) },
      ...(spec === undefined ? {} : { resourceSpec: spec }),
    },
    sourceRevisionConfig: {
      ...now.sourceRevisionConfig,
      fields: {
        ...now.sourceRevisionConfig?.fields,
        ...keys('sourceRevisionConfig', sourceRevisionConfig?.fields),
      },
    },
    ...(back('secrets') && secrets !== undefined ? { secrets } : {}),
    ...(back('secretReferences') && secretReferences !== undefined ? { secretReferences } : {}),
  };
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
      // Defaults that fill an emptied block hide that it was emptied: every key that was there must be there.
      after: shown === undefined ? undefined : [...had].every((key) => has.has(key)),
    },
  ];
}

/** Keys of a resource spec that have a value. */
function valuesOf(
  spec: { readonly fields: JsonObject; readonly unknown: JsonObject } | null | undefined,
): ReadonlySet<string> {
  const values = Object.entries({ ...spec?.fields, ...spec?.unknown });
  return new Set(values.filter(([, value]) => !isEmpty(value)).map(([key]) => key));
}

/** An image that the service built itself comes and goes with revisions (H6): its absence tells nothing. */
function revisionParts(
  before: ObservedDeployment,
  body: PatchBody,
  after: ObservedDeployment,
): readonly Part[] {
  const fields = before.sourceRevisionConfig?.fields ?? {};
  const shown = after.sourceRevisionConfig;
  const built = before.source !== 'external_container';
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
