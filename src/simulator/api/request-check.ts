import { isDeepStrictEqual } from 'node:util';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { DeploymentState } from '../state/deployment-state.ts';
import { pathParts, valueAt } from '../values/field-rules.ts';
import { isWireObject, listOf, textOf } from '../values/wire-values.ts';
import {
  CREATE_SHAPE,
  NULLABLE_BLOCKS,
  PATCH_SHAPE,
  type RequestShape,
  RESPONSE_ONLY,
} from './request-shapes.ts';
import { isMaskWrittenBack } from '../state/secrets-echo.ts';
import type { ServiceSemantics } from '../switches/semantics.ts';

/** The rule of the interface that a request broke. */
export type BrokenRule =
  | 'not-json'
  | 'content-type'
  | 'unknown-key'
  | 'response-only-key'
  | 'missing-key'
  | 'wrong-type'
  | 'null'
  | 'not-for-this-source'
  | 'rejected-field'
  | 'empty-patch'
  | 'mask-written-back'
  | 'bad-uuid'
  | 'bad-parameter'
  | 'unknown-operation';

/** One problem of a request. Its texts contain no value of the request. */
export interface RequestProblem {
  readonly rule: BrokenRule;
  /** The place, as keys and positions below `body`, `path` or `query`. */
  readonly path: readonly string[];
  readonly message: string;
  /** False if the service accepts the request in spite of the problem, and only records it. */
  readonly refused: boolean;
  /** False if the current switches refuse the request although the specification allows it. */
  readonly violation: boolean;
}

const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a UUID of any version. */
export function isUUID(text: string): boolean {
  return UUID_FORM.test(text);
}

/** Returns the problems of a PATCH body (4.4) for this deployment. */
export function patchProblems(
  body: WireJson,
  state: DeploymentState,
  semantics: ServiceSemantics,
): readonly RequestProblem[] {
  const stored = {
    source_config: { ...state.first.sourceConfig, ...state.content.sourceConfig },
    source_revision_config: { ...state.first.revisionConfig, ...state.content.revisionConfig },
  };
  const shape = shapeProblems({ value: body, path: ['body'], stored }, PATCH_SHAPE);
  if (!isWireObject(body)) return shape;
  return [
    ...shape.map(asResponseOnly),
    ...emptyPatch(body),
    ...referencesProblems(body, state.source),
    ...nullProblems(body, semantics),
    ...fieldRuleProblems(body, state, semantics),
    ...maskProblems(body, state, semantics),
  ];
}

/** Returns the problems of a creation body (section 1). */
export function createProblems(body: WireJson): readonly RequestProblem[] {
  const shape = shapeProblems({ value: body, path: ['body'], stored: {} }, CREATE_SHAPE);
  if (!isWireObject(body)) return shape;
  const readOnly = RESPONSE_ONLY.filter(
    (key) => key in body && !['name', 'source', 'image_version'].includes(key),
  );
  return [
    ...shape,
    ...readOnly.map((key) => problem('response-only-key', ['body', key], 'is read-only (2.3)')),
    ...referencesProblems(body, textOf(body['source'])),
  ];
}

/** Makes a problem that is refused and counts as a violation of the specification. */
export function problem(rule: BrokenRule, path: readonly string[], message: string): RequestProblem {
  return { rule, path, message, refused: true, violation: true };
}

/** A part of a body. */
interface BodyPart {
  readonly value: WireJson;
  readonly path: readonly string[];
  /** The value that the service has stored there. */
  readonly stored: WireJson | undefined;
}

function shapeProblems(part: BodyPart, shape: RequestShape): readonly RequestProblem[] {
  const { value, path } = part;
  switch (shape.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === shape.kind ? [] : [problem('wrong-type', path, `must be a ${shape.kind}`)];
    case 'uuid':
      return typeof value === 'string' && isUUID(value) ? [] : [problem('bad-uuid', path, 'must be a UUID')];
    case 'free-form':
      return isWireObject(value) ? [] : [problem('wrong-type', path, 'must be an object')];
    case 'one-of':
      return typeof value === 'string' && shape.values.includes(value)
        ? []
        : [problem('wrong-type', path, `must be one of ${shape.values.join(', ')}`)];
    case 'list':
      return Array.isArray(value)
        ? listOf(value).flatMap((item, at) =>
            shapeProblems({ value: item, path: [...path, String(at)], stored: undefined }, shape.of),
          )
        : [problem('wrong-type', path, 'must be a list')];
    case 'object':
      return objectProblems(part, shape);
  }
}

function objectProblems(
  { value, path, stored }: BodyPart,
  shape: RequestShape & { readonly kind: 'object' },
): readonly RequestProblem[] {
  if (!isWireObject(value)) return [problem('wrong-type', path, 'must be an object')];
  const known = isWireObject(stored) ? stored : {};
  const missing = (shape.required ?? []).filter((key) => !(key in value));
  return [
    ...missing.map((key) => problem('missing-key', [...path, key], 'is required')),
    ...Object.entries(value).flatMap(([key, member]) => {
      const at = [...path, key];
      const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
      // A key that this deployment shows, or had at its creation, is permitted: a client that writes whole objects has
      // to send it.
      if (field === undefined)
        return shape.open || key in known ? [] : [problem('unknown-key', at, 'is not known')];
      if (member === null && mayBeNull(shape, path, key)) return [];
      return shapeProblems({ value: member, path: at, stored: known[key] }, field);
    }),
  ];
}

function mayBeNull(
  shape: RequestShape & { readonly kind: 'object' },
  path: readonly string[],
  key: string,
): boolean {
  return shape.nullable === true || (path.length === 1 && NULLABLE_BLOCKS.includes(key));
}

function asResponseOnly(found: RequestProblem): RequestProblem {
  if (found.rule !== 'unknown-key') return found;
  const [, first, second] = found.path;
  const topLevel = found.path.length === 2 && first !== undefined && RESPONSE_ONLY.includes(first);
  if (!topLevel && !(first === 'source_revision_config' && second === 'repo_commit_sha')) return found;
  return { ...found, rule: 'response-only-key', message: 'appears in responses only (2.3, 2.6)' };
}

function emptyPatch(body: WireObject): readonly RequestProblem[] {
  if (Object.keys(body).length > 0) return [];
  return [{ ...problem('empty-patch', ['body'], 'asks for nothing'), refused: false }];
}

function referencesProblems(body: WireObject, source: string): readonly RequestProblem[] {
  const references = body['secret_references'];
  if (source === 'external_container' || !Array.isArray(references)) return [];
  const message = 'is only applicable for the external_container source (2.7)';
  return [problem('not-for-this-source', ['body', 'secret_references'], message)];
}

function nullProblems(body: WireObject, semantics: ServiceSemantics): readonly RequestProblem[] {
  const { sourceConfig, revisionConfig, resourceSpec } = semantics.nested;
  const blocks: readonly (readonly [readonly string[], string])[] = [
    [['source_config'], sourceConfig],
    [['source_revision_config'], revisionConfig],
    [['source_config', 'resource_spec'], resourceSpec],
  ];
  return blocks.flatMap(([path, mode]) => {
    const block = mode === 'merge-null-rejected' ? valueAt(body, path) : undefined;
    if (!isWireObject(block)) return [];
    return Object.keys(block)
      .filter((key) => block[key] === null)
      .map((key) => ({ ...problem('null', ['body', ...path, key], 'may not be null'), violation: false }));
  });
}

function fieldRuleProblems(
  body: WireObject,
  state: DeploymentState,
  semantics: ServiceSemantics,
): readonly RequestProblem[] {
  const { sourceConfig, revisionConfig } = state.content;
  const stored: WireObject = { source_config: sourceConfig, source_revision_config: revisionConfig };
  return Object.entries(semantics.fieldRules)
    .filter(([text, rule]) => {
      const sent = rule === 'rejected' ? valueAt(body, pathParts(text)) : undefined;
      return sent !== undefined && !isDeepStrictEqual(sent, valueAt(stored, pathParts(text)));
    })
    .map(([path]) => ({
      ...problem('rejected-field', ['body', ...pathParts(path)], 'cannot be changed'),
      violation: false,
    }));
}

function maskProblems(
  body: WireObject,
  state: DeploymentState,
  semantics: ServiceSemantics,
): readonly RequestProblem[] {
  return listOf(body['secrets'])
    .filter(isWireObject)
    .filter((sent) => {
      const kept = state.content.secrets.find(({ name }) => name === sent['name']);
      const value = sent['value'];
      return (
        kept !== undefined &&
        typeof value === 'string' &&
        isMaskWrittenBack(semantics.secretsEcho, kept, value)
      );
    })
    .map((sent) => ({
      ...problem(
        'mask-written-back',
        ['body', 'secrets', textOf(sent['name'])],
        'is what was shown instead of a value',
      ),
      refused: false,
    }));
}
