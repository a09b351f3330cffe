import { isDeepStrictEqual } from 'node:util';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { isWireObject, listOf, objectOf } from '../values/wire-values.ts';
import type { ListMode, ServiceSemantics } from '../switches/semantics.ts';
import type { NestedMode } from '../switches/switches.ts';

type Combine = (key: string, before: WireJson | undefined, sent: WireJson) => WireJson;

/** A value, and what a request sends in its place. */
export interface Edit<T> {
  readonly before: T;
  readonly sent: T;
}

type ListEdit = Edit<readonly WireJson[]>;

/** The block that a sent block leaves behind. Lists and `resource_spec` inside it follow their own switches. */
export function mergedBlock(
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

/** The list that a sent list leaves behind; `key` identifies elements. */
export function mergedList(mode: ListMode, edit: ListEdit, key: string): readonly WireJson[] {
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
  // The check refuses explicit nulls before anything is merged.
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
