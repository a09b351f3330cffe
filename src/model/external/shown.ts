import { isEmpty, overlayPart } from '../desired/canonical-text.ts';
import { type Field, REPO_REF_PATH } from '../desired/fields.ts';
import type { DesiredField } from '../desired/desired-deployment.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { ObservedDeployment, SecretReference, Shown } from './observation.ts';

/** Returns the value that the service shows for a desired field; `undefined` when it does not show it (N31). */
export function shownFor({ field, value }: DesiredField, observed: ObservedDeployment): Shown {
  const shown = shownOf(field, observed);
  return shown !== undefined && field.shape.kind === 'overlay' ? overlayPart(shown, value) : shown;
}

/** Returns the whole value that the service shows for a field, whatever its desired value is. */
export function shownOf(field: Field, observed: ObservedDeployment): Shown {
  switch (field.block) {
    case 'sourceConfig':
      return observed.sourceConfig?.fields[field.name];
    case 'resourceSpec': {
      const spec = observed.sourceConfig?.resourceSpec;
      return spec === undefined ? undefined : (spec?.fields[field.name] ?? null);
    }
    case 'sourceRevisionConfig':
      return observed.sourceRevisionConfig?.fields[field.name];
    case 'secretReferences':
      return referencesAsJson(observed.secretReferences);
  }
}

/** True if the block of a field is shown, so that the absence of the field has a meaning. */
export function isBlockShown({ field }: DesiredField, observed: ObservedDeployment): boolean {
  switch (field.block) {
    case 'sourceConfig':
      return observed.sourceConfig !== undefined;
    case 'resourceSpec':
      return observed.sourceConfig?.resourceSpec !== undefined;
    case 'sourceRevisionConfig':
      return observed.sourceRevisionConfig !== undefined;
    case 'secretReferences':
      return observed.secretReferences !== undefined;
  }
}

/** True if a field itself is shown, even as null. */
export function isKeyShown(field: Field, observed: ObservedDeployment): boolean {
  const has = (fields: object | undefined): boolean =>
    fields !== undefined && Object.hasOwn(fields, field.name);
  switch (field.block) {
    case 'sourceConfig':
      return has(observed.sourceConfig?.fields);
    case 'resourceSpec':
      return has(observed.sourceConfig?.resourceSpec?.fields);
    case 'sourceRevisionConfig':
      return has(observed.sourceRevisionConfig?.fields);
    case 'secretReferences':
      return observed.secretReferences !== undefined;
  }
}

/** True if a key of the resource spec is shown, and not as empty. */
export function isSpecShown({ sourceConfig }: ObservedDeployment): boolean {
  return Object.values(sourceConfig?.resourceSpec?.fields ?? {}).some((value) => !isEmpty(value));
}

/**
 * True if a branch or tag is shown as the commit to which it was resolved (N36): that is no drift, and proves nothing
 * about a write. A declared commit is not resolved to another one.
 */
export function isResolvedCommit(desired: DesiredField, shown: Shown, observed: ObservedDeployment): boolean {
  const { field, value } = desired;
  return field.path === REPO_REF_PATH && !looksLikeCommit(value) && isCommitOf(shown, observed);
}

/** True for 40 hexadecimal characters that are the commit of the newest revision. */
export function isCommitOf(shown: Shown, observed: ObservedDeployment): boolean {
  return looksLikeCommit(shown) && shown === observed.sourceRevisionConfig?.repoCommitSHA;
}

/**
 * True if a look shows another commit than the one before a write that asks for nothing that moves a commit: a push moved
 * it. The paths are those that the write asks for.
 */
export function isPushBeside(
  was: string | null | undefined,
  { sourceRevisionConfig }: ObservedDeployment,
  paths: readonly string[],
): boolean {
  const is = sourceRevisionConfig?.repoCommitSHA;
  const isMoved = typeof was === 'string' && typeof is === 'string' && was !== is;
  return isMoved && !paths.some((path) => path.startsWith('sourceRevisionConfig.'));
}

/** True for 40 hexadecimal characters. */
export function looksLikeCommit(shown: Shown): boolean {
  return typeof shown === 'string' && /^[0-9a-f]{40}$/i.test(shown);
}

function referencesAsJson(references: readonly SecretReference[] | null | undefined): Shown {
  if (references === undefined || references === null) return references;
  return references.map((reference) => ({ ...reference }));
}

/** Returns a value without null members, at any depth, for sending observed values again. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) if (member !== null) kept[key] = withoutNulls(member);
  return kept;
}
