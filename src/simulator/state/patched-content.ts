import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { Content } from './deployment-state.ts';
import { pathParts, valueAt, withValueAt } from '../values/field-rules.ts';
import { isWireObject, listOf, objectOf, textOf } from '../values/wire-values.ts';
import type { KeptSecret } from './secrets-echo.ts';
import type { ServiceSemantics, ListMode } from '../switches/semantics.ts';
import { isDeepStrictEqual } from 'node:util';
import type { NestedMode } from '../switches/switches.ts';

/** Returns the content after a checked PATCH body (4.4). */
export function patchedContent(before: Content, body: WireObject, semantics: ServiceSemantics): Content {
  const patched: Content = {
    sourceConfig: patchedConfig('sourceConfig', { before, sent: body['source_config'] }, semantics),
    revisionConfig: patchedConfig(
      'revisionConfig',
      { before, sent: body['source_revision_config'] },
      semantics,
    ),
    secrets: patchedSecrets(before.secrets, body['secrets'], semantics),
    secretReferences: patchedReferences(before.secretReferences, body['secret_references'], semantics),
  };
  return withIgnoredFields(before, patched, semantics);
}

/**
 * Returns the content that the answer to a PATCH shows: a rule may make it show values that the service does not keep.
 */
export function answeredContent(before: Content, body: WireObject, semantics: ServiceSemantics): Content {
  const rules = Object.entries(semantics.fieldRules);
  const fieldRules = Object.fromEntries(rules.filter(([, rule]) => rule !== 'pretended'));
  return patchedContent(before, body, { ...semantics, fieldRules });
}

/** Returns the content after a checked creation body: every list and object as it was sent. */
export function createdContent(body: WireObject): Content {
  const references = body['secret_references'];
  return {
    sourceConfig: withoutNulls(objectOf(body['source_config'])),
    revisionConfig: withoutNulls(objectOf(body['source_revision_config'])),
    secrets: keptSecrets(listOf(body['secrets'])),
    secretReferences: Array.isArray(references) ? listOf(references).filter(isWireObject) : null,
  };
}

function patchedConfig(
  block: 'sourceConfig' | 'revisionConfig',
  { before, sent }: { readonly before: Content; readonly sent: WireJson | undefined },
  semantics: ServiceSemantics,
): WireObject {
  if (isWireObject(sent)) return mergedBlock(block, { before: before[block], sent }, semantics);
  return semantics.topLevelOmit === 'cleared' ? {} : before[block];
}

function patchedSecrets(
  before: readonly KeptSecret[],
  sent: WireJson | undefined,
  semantics: ServiceSemantics,
): readonly KeptSecret[] {
  if (!Array.isArray(sent)) return semantics.topLevelOmit === 'cleared' ? [] : before;
  const old: readonly WireJson[] = before.map(({ name, value }) => ({ name, value }));
  return keptSecrets(mergedList(semantics.lists, { before: old, sent: listOf(sent) }, 'name'));
}

function patchedReferences(
  before: readonly WireObject[] | null,
  sent: WireJson | undefined,
  semantics: ServiceSemantics,
): readonly WireObject[] | null {
  if (!Array.isArray(sent)) return semantics.topLevelOmit === 'cleared' ? null : before;
  const edit = { before: before ?? [], sent: listOf(sent) };
  return mergedList(semantics.lists, edit, 'name').filter(isWireObject);
}

function keptSecrets(items: readonly WireJson[]): readonly KeptSecret[] {
  return items.filter(isWireObject).map((item) => ({
    name: textOf(item['name']),
    value: textOf(item['value']),
  }));
}

function withoutNulls(object: WireObject): WireObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Restores fields for which a rule says that the service accepts them and forgets them. */
function withIgnoredFields(before: Content, after: Content, semantics: ServiceSemantics): Content {
  return Object.entries(semantics.fieldRules)
    .filter(([, rule]) => rule === 'ignored' || rule === 'pretended')
    .reduce((content, [path]) => {
      const [block, ...rest] = pathParts(path);
      if (block === 'source_config') {
        const old = valueAt(before.sourceConfig, rest);
        return { ...content, sourceConfig: withValueAt(content.sourceConfig, rest, old) };
      }
      if (block === 'source_revision_config') {
        const old = valueAt(before.revisionConfig, rest);
        return { ...content, revisionConfig: withValueAt(content.revisionConfig, rest, old) };
      }
      return block === 'secrets' ? { ...content, secrets: before.secrets } : content;
    }, after);
}

type Combine = (key: string, before: WireJson | undefined, sent: WireJson) => WireJson;

/** A stored value, and its replacement in a request. */
interface Edit<T> {
  readonly before: T;
  readonly sent: T;
}

type ListEdit = Edit<readonly WireJson[]>;

/** Returns the block after a block was sent. Lists and `resource_spec` inside it follow their own switches. */
function mergedBlock(
  block: 'sourceConfig' | 'revisionConfig',
  edit: Edit<WireObject>,
  semantics: ServiceSemantics,
): WireObject {
  return NESTED[semantics.nested[block]](edit, (key, old, value) =>
    key === 'resource_spec' && isWireObject(value)
      ? mergedResourceSpec({ before: objectOf(old), sent: value }, semantics)
      : value,
  );
}

/** Returns the list after a list was sent; `key` identifies elements. */
function mergedList(mode: ListMode, edit: ListEdit, key: string): readonly WireJson[] {
  return LISTS[mode](edit, key);
}

function mergedResourceSpec(edit: Edit<WireObject>, semantics: ServiceSemantics): WireObject {
  return NESTED[semantics.nested.resourceSpec](edit, (key, old, value) =>
    Array.isArray(value) && semantics.nested.resourceSpec !== 'replace'
      ? mergedList(
          semantics.lists,
          { before: listOf(old), sent: listOf(value) },
          key === 'volume_mounts' ? 'mountPath' : 'name',
        )
      : value,
  );
}

const NESTED: Record<NestedMode, (edit: Edit<WireObject>, combine: Combine) => WireObject> = {
  replace: (edit, combine) => overlay(edit, combine, { start: {}, atNull: 'drop' }),
  'merge-null-clears': (edit, combine) => overlay(edit, combine, { start: edit.before, atNull: 'drop' }),
  'merge-null-ignored': (edit, combine) => overlay(edit, combine, { start: edit.before, atNull: 'keep' }),
  // Explicit nulls do not get here: the check refuses them before anything is merged.
  'merge-null-rejected': (edit, combine) => overlay(edit, combine, { start: edit.before, atNull: 'keep' }),
};

function overlay(
  { before, sent }: Edit<WireObject>,
  combine: Combine,
  { start, atNull }: { readonly start: WireObject; readonly atNull: 'drop' | 'keep' },
): WireObject {
  const result = new Map(Object.entries(start));
  for (const [key, value] of Object.entries(sent)) {
    if (value !== null) result.set(key, combine(key, before[key], value));
    else if (atNull === 'drop') result.delete(key);
  }
  return Object.fromEntries(result);
}

const LISTS: Record<ListMode, (edit: ListEdit, key: string) => readonly WireJson[]> = {
  replace: ({ sent }) => sent,
  'empty-ignored': ({ before, sent }) => (sent.length === 0 ? before : sent),
  append: ({ before, sent }) => [
    ...before,
    ...sent.filter((item) => !before.some((old) => isDeepStrictEqual(old, item))),
  ],
  'merge-by-name': ({ before, sent }, key) => {
    const nameOf = (item: WireJson): WireJson | undefined => (isWireObject(item) ? item[key] : item);
    const sentNames = new Set(sent.map(nameOf));
    const oldNames = new Set(before.map(nameOf));
    const replaced = before.map((old) =>
      sentNames.has(nameOf(old)) ? (sent.findLast((item) => nameOf(item) === nameOf(old)) ?? old) : old,
    );
    return [...replaced, ...sent.filter((item) => !oldNames.has(nameOf(item)))];
  },
};
