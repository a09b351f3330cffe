import { defined } from '../../base/defined.ts';
import type { DesiredDeployment, DesiredField } from '../desired/desired-deployment.ts';
import { type Block, SECRETS_PATH } from '../desired/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ObservedDeployment, ResourceSpecView, SecretReference } from './observation.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import { isCommitOf, withoutNulls } from './shown.ts';
import { namedOnly } from './named-only.ts';

/** A secret as sent. */
export interface SentSecret {
  readonly name: string;
  readonly value: SecretValue;
}

/**
 * A PATCH request (4.4) under custom-resource names; an absent property is not sent. A `null` inside `fields` is sent
 * as an explicit null.
 */
export interface PatchBody {
  readonly revisionSource?: string;
  readonly sourceConfig?: {
    readonly fields: JsonObject;
    readonly resourceSpec?: ResourceSpecView;
  };
  readonly sourceRevisionConfig?: JsonObject;
  readonly secrets?: readonly SentSecret[];
  readonly secretReferences?: readonly SecretReference[];
}

/** A creation request (the POST that section 1 mentions): a PATCH body plus the values that cannot change later. */
export interface CreateBody extends PatchBody {
  readonly name: string;
  readonly source: string;
  /** Free-form additions, which are merged in unchanged. */
  readonly extra: JsonObject;
}

/** The levels at which a request can omit something: whole blocks, or keys of a block that it contains. */
export type Level = 'blocks' | 'sourceConfig' | 'sourceRevisionConfig';

/** The content of one PATCH. */
export interface Sending {
  /** The paths to send because they differ. */
  readonly paths: ReadonlySet<string>;
  /** The paths that must not be sent, not even as part of a whole block. */
  readonly withheld: ReadonlySet<string>;
  /**
   * The paths that somebody else changed and that are only reported. If they must be sent along, the body carries the
   * shown values.
   */
  readonly reported: ReadonlySet<string>;
  /**
   * The paths that the spec empties and that are shown as they were after that: the service shows a default there. A
   * resource spec without a base does not send it back, since it would become a value.
   */
  readonly defaulted: ReadonlySet<string>;
  /** True to send the revision block although nothing in it changed. */
  readonly redeploy: boolean;
  /** The list of secrets, if one is sent. */
  readonly secrets: readonly SentSecret[];
  /**
   * The deployment whose values are all sent too, overlaid with the managed fields, because the service empties omitted
   * fields.
   */
  readonly base?: ObservedDeployment | undefined;
  /** With a base, the levels at which the body still omits unchanged values; see `Situation`. */
  readonly trial?: ReadonlySet<Level> | undefined;
}

/**
 * Makes the smallest body: changed keys of `source_config`; the whole shown `resource_spec` with the managed keys set;
 * all managed keys of `source_revision_config`; and the whole managed set of secrets and of secret references. The
 * merge rules of a PATCH are not documented (4.4); this body is right if the service merges and if it replaces.
 */
export function patchBody(
  desired: DesiredDeployment,
  observed: ObservedDeployment,
  sending: Sending,
): PatchBody {
  const small = smallBody(desired, observed, sending);
  if (sending.base === undefined) return small;
  return lessTried(fullBody(desired, sending, sending.base), small, sending.trial);
}

/** Returns a full body without the parts that a trial omits: unchanged keys, or unchanged blocks. */
function lessTried(whole: PatchBody, small: PatchBody, trial: Sending['trial']): PatchBody {
  const tried = (level: Level): boolean => trial?.has(level) === true;
  const { sourceConfig: config, sourceRevisionConfig: revision } = small;
  const { sourceConfig, ...others } = whole;
  const kept = tried(config === undefined ? 'blocks' : 'sourceConfig') ? config : sourceConfig;
  return {
    ...others,
    ...defined({ sourceConfig: kept }),
    ...(revision !== undefined && tried('sourceRevisionConfig') ? { sourceRevisionConfig: revision } : {}),
  };
}

function smallBody(desired: DesiredDeployment, observed: ObservedDeployment, sending: Sending): PatchBody {
  const fields = ownFields(desired, sending);
  const chosen = fields.filter(({ field }) => sending.paths.has(field.path));
  const has = (block: Block): boolean => chosen.some(({ field }) => field.block === block);
  const revision = has('sourceRevisionConfig') || sending.redeploy;
  const sourceConfig = {
    ...(has('sourceConfig') ? { fields: members(chosen, 'sourceConfig') } : { fields: {} }),
    ...(has('resourceSpec')
      ? { resourceSpec: overlay({ fields, chosen, defaulted: sending.defaulted }, observed) }
      : {}),
  };
  return {
    ...(revision && desired.revisionSource !== undefined ? { revisionSource: desired.revisionSource } : {}),
    ...(has('sourceConfig') || has('resourceSpec') ? { sourceConfig } : {}),
    ...(revision
      ? { sourceRevisionConfig: revisionBlock(desired, observed, { fields, chosen, sending }) }
      : {}),
    ...(sending.paths.has(SECRETS_PATH) ? { secrets: sending.secrets } : {}),
    ...(has('secretReferences') ? { secretReferences: referenceSet(chosen) } : {}),
  };
}

/** Returns the fields that are sent with their declared values. */
function ownFields(desired: DesiredDeployment, { withheld, reported }: Sending): readonly DesiredField[] {
  return desired.fields.filter(({ field }) => !withheld.has(field.path) && !reported.has(field.path));
}

/**
 * Returns all managed keys; those that are only reported have their shown values. A service that replaces the block
 * must not lose them.
 */
function revisionBlock(
  desired: DesiredDeployment,
  observed: ObservedDeployment,
  {
    fields,
    chosen,
    sending,
  }: { fields: readonly DesiredField[]; chosen: readonly DesiredField[]; sending: Sending },
): JsonObject {
  const shown = revisionBase(observed);
  const reported = desired.fields.filter(
    ({ field }) => sending.reported.has(field.path) && shown[field.name] !== undefined,
  );
  const asShown = reported.map((one) => ({ ...one, value: shown[one.field.name] as Json }));
  const block = {
    ...members(asShown, 'sourceRevisionConfig'),
    ...due(fields, chosen, 'sourceRevisionConfig'),
  };
  return Object.keys(block).length === 0 && sending.redeploy ? shownAgain(observed) : block;
}

/**
 * Returns the shown revision block, for a redeploy without managed keys in it. Returns an empty block if nothing is
 * shown, or if a branch is shown as its commit (N36): to send the commit would pin the branch.
 */
export function shownAgain(observed: ObservedDeployment): JsonObject {
  const block = namedOnly('sourceRevisionConfig', revisionBase(observed));
  return isCommitOf(block['repoRef'], observed) ? {} : block;
}

function fullBody(desired: DesiredDeployment, sending: Sending, base: ObservedDeployment): PatchBody {
  const fields = ownFields(desired, sending);
  const chosen = fields.filter(({ field }) => sending.paths.has(field.path));
  const revision = sending.redeploy || chosen.some(({ field }) => field.block === 'sourceRevisionConfig');
  const spec = overlay({ fields, chosen }, base);
  const managed = fields.some(({ field }) => field.block === 'secretReferences')
    ? referenceSet(fields)
    : undefined;
  const references = managed ?? base.secretReferences ?? [];
  const { secrets } = sending;
  const revisionConfig = { ...revisionBase(base), ...due(fields, chosen, 'sourceRevisionConfig') };
  return {
    ...(revision && desired.revisionSource !== undefined ? { revisionSource: desired.revisionSource } : {}),
    sourceConfig: {
      fields: {
        ...(withoutNulls(base.sourceConfig?.fields ?? {}) as JsonObject),
        ...due(fields, chosen, 'sourceConfig'),
      },
      ...(isBareSpec(spec) ? {} : { resourceSpec: spec }),
    },
    ...(Object.keys(revisionConfig).length === 0 ? {} : { sourceRevisionConfig: revisionConfig }),
    ...(secrets.length > 0 || sending.paths.has(SECRETS_PATH) ? { secrets } : {}),
    ...(references.length > 0 || managed !== undefined ? { secretReferences: references } : {}),
  };
}

/** True if the service builds the images, or may build them because no look and no resource names another source. */
export function buildsImages({ source, declaredSource }: ObservedDeployment): boolean {
  return (source ?? declaredSource) !== 'external_container';
}

/**
 * Returns the shown fields of the revision block, without an image that the service built: it is never copied into a
 * request (H6).
 */
function revisionBase(observed: ObservedDeployment): JsonObject {
  const fields = withoutNulls(observed.sourceRevisionConfig?.fields ?? {}) as JsonObject;
  if (!buildsImages(observed)) return fields;
  const { imageURI: _, ...rest } = fields;
  return rest;
}

function isBareSpec({ fields, unknown }: ResourceSpecView): boolean {
  return Object.keys(fields).length === 0 && Object.keys(unknown).length === 0;
}

/** Returns whether a body has a part that counts as making a revision (N10); a full body nearly always has one. */
export function mayMakeRevision(body: PatchBody): boolean {
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = body;
  const parts = [sourceConfig?.resourceSpec, sourceRevisionConfig, secrets, secretReferences];
  return parts.some((part) => part !== undefined);
}

/** True if a body is empty: such a PATCH is never sent. */
export function isEmptyBody(body: PatchBody): boolean {
  const revision = body.sourceRevisionConfig;
  const rest = Object.keys(body).filter((key) => key !== 'sourceRevisionConfig' && key !== 'revisionSource');
  return rest.length === 0 && (revision === undefined || Object.keys(revision).length === 0);
}

function members(fields: readonly DesiredField[], block: Block): JsonObject {
  const own = fields.filter(({ field }) => field.block === block);
  return Object.fromEntries(own.map(({ field, value }) => [field.name, value]));
}

/** Returns all managed keys of a block; includes an explicit null only when it is due. */
function due(fields: readonly DesiredField[], chosen: readonly DesiredField[], block: Block): JsonObject {
  return members(
    fields.filter((field) => !field.cleared || chosen.includes(field)),
    block,
  );
}

function overlay(
  {
    fields,
    chosen,
    defaulted = new Set(),
  }: {
    readonly fields: readonly DesiredField[];
    readonly chosen: readonly DesiredField[];
    readonly defaulted?: ReadonlySet<string>;
  },
  observed: ObservedDeployment,
): ResourceSpecView {
  const shown = observed.sourceConfig?.resourceSpec;
  const result = withoutNulls(shown?.fields ?? {}) as Record<string, Json>;
  for (const desired of fields.filter(({ field }) => field.block === 'resourceSpec')) {
    const { name, shape } = desired.field;
    const before = result[name];
    if (desired.cleared) {
      if (chosen.includes(desired)) result[name] = null;
      else if (defaulted.has(desired.field.path)) delete result[name];
    } else if (shape.kind === 'overlay' && isJsonObject(before) && isJsonObject(desired.value)) {
      result[name] = { ...before, ...desired.value };
    } else {
      result[name] = desired.value;
    }
  }
  return { fields: result, unknown: withoutNulls(shown?.unknown ?? {}) as JsonObject };
}

function referenceSet(chosen: readonly DesiredField[]): readonly SecretReference[] {
  const value = chosen.find(({ field }) => field.block === 'secretReferences')?.value;
  return Array.isArray(value) ? (value as readonly SecretReference[]) : [];
}
