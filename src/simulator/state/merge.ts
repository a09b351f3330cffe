import { isDeepStrictEqual } from 'node:util';
import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { isWireObject, listOf, objectOf } from '../values/wire-values.ts';
import type { ListMode, ServiceSemantics } from '../switches/semantics.ts';
import type { NestedMode } from '../switches/switches.ts';

type Combine = (key: string, before: WireJson | undefined, sent: WireJson) => WireJson;

/** The block that a sent block leaves behind. Lists and `resource_spec` inside it follow their own switches. */
export function mergedBlock(
  block: 'sourceConfig' | 'revisionConfig',
  before: WireObject,
  sent: WireObject,
  semantics: ServiceSemantics,
): WireObject {
  return NESTED[semantics.nested[block]](before, sent, (key, old, value) =>
    key === 'resource_spec' && isWireObject(value)
      ? mergedResourceSpec(objectOf(old), value, semantics)
      : value,
  );
}

/** The list that a sent list leaves behind; `key` identifies elements. */
export function mergedList(
  mode: ListMode,
  before: readonly WireJson[],
  sent: readonly WireJson[],
  key: string,
): readonly WireJson[] {
  return LISTS[mode](before, sent, key);
}

function mergedResourceSpec(before: WireObject, sent: WireObject, semantics: ServiceSemantics): WireObject {
  return NESTED[semantics.nested.resourceSpec](before, sent, (key, old, value) =>
    Array.isArray(value) && semantics.nested.resourceSpec !== 'replace'
      ? mergedList(
          semantics.lists,
          listOf(old),
          listOf(value),
          key === 'volume_mounts' ? 'mountPath' : 'name',
        )
      : value,
  );
}

const NESTED: Record<NestedMode, (before: WireObject, sent: WireObject, combine: Combine) => WireObject> = {
  replace: (before, sent, combine) => overlay({}, before, sent, combine, 'drop'),
  'merge-null-clears': (before, sent, combine) => overlay(before, before, sent, combine, 'drop'),
  'merge-null-ignored': (before, sent, combine) => overlay(before, before, sent, combine, 'keep'),
  // The check refuses explicit nulls before anything is merged.
  'merge-null-rejected': (before, sent, combine) => overlay(before, before, sent, combine, 'keep'),
};

function overlay(
  start: WireObject,
  before: WireObject,
  sent: WireObject,
  combine: Combine,
  atNull: 'drop' | 'keep',
): WireObject {
  const result = new Map(Object.entries(start));
  for (const [key, value] of Object.entries(sent)) {
    if (value !== null) result.set(key, combine(key, before[key], value));
    else if (atNull === 'drop') result.delete(key);
  }
  return Object.fromEntries(result);
}

const LISTS: Record<
  ListMode,
  (before: readonly WireJson[], sent: readonly WireJson[], key: string) => readonly WireJson[]
> = {
  replace: (_before, sent) => sent,
  'empty-ignored': (before, sent) => (sent.length === 0 ? before : sent),
  append: (before, sent) => [
    ...before,
    ...sent.filter((item) => !before.some((old) => isDeepStrictEqual(old, item))),
  ],
  'merge-by-name': (before, sent, key) => {
    const nameOf = (item: WireJson): WireJson | undefined => (isWireObject(item) ? item[key] : item);
    const sentNames = new Set(sent.map(nameOf));
    const oldNames = new Set(before.map(nameOf));
    const replaced = before.map((old) =>
      sentNames.has(nameOf(old)) ? (sent.findLast((item) => nameOf(item) === nameOf(old)) ?? old) : old,
    );
    return [...replaced, ...sent.filter((item) => !oldNames.has(nameOf(item)))];
  },
};
