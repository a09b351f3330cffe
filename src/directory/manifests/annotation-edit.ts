import { isDeepStrictEqual } from 'node:util';
import { type Key, keyText } from '../../api/metadata.ts';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type Splice, spliceAnnotation } from './splice-annotation.ts';
import { type Declared, type ManifestObject, readManifest } from './read-manifest.ts';
import { readYaml, type YamlDocument } from '../yaml/read-yaml.ts';

/** A change of an object that was just read. */
export interface AnnotationEdit {
  readonly key: Key;
  /** The object as it was read. If the file declares another version now, the edit is refused. */
  readonly object: ManifestObject;
  readonly change: AnnotationChange;
}

/** The result of one edit; lines count from 1, in the edited text. */
export type EditResult =
  { readonly kind: 'edited'; readonly line: number } | { readonly kind: 'refused'; readonly why: string };

/** The edited text and the result of each edit, in the order of the edits. */
export interface EditedText {
  readonly text: string;
  readonly results: readonly EditResult[];
}

/**
 * Changes annotations in the text of a file and nothing else: comments, order, quotes and line ends stay. Reads the
 * edited text again and refuses every edit if the text does not declare the intended values, for example because an
 * anchor shares the place.
 */
export function editAnnotations(text: string, edits: readonly AnnotationEdit[]): EditedText {
  const { documents } = readYaml(text);
  const found = documents.flatMap((document, index) =>
    readManifest(document).declared.map((declared): Found => ({ document, index, declared })),
  );
  const byKey = new Map(found.map((one) => [keyText(one.declared.key), one]));
  const wanted = edits.map((edit) => spliced(edit, byKey.get(keyText(edit.key))));
  const splices = wanted.flatMap((one) => ('splices' in one ? one.splices : []));
  const next = withSplices(text, splices);
  const done = wanted.filter((one) => 'splices' in one);
  const sound = next !== undefined && saysSo(documents, next, done);
  if (!sound) {
    const why = 'an edit here would change something else too';
    return { text, results: wanted.map((one) => ('why' in one ? refused(one.why) : refused(why))) };
  }
  const after = readYaml(next).documents;
  const results = wanted.map((one): EditResult => {
    if ('why' in one) return refused(one.why);
    const { index, declared } = one.found;
    const { name, value } = one.change;
    const path = `${declared.prefix}metadata${value === null ? '.name' : `.annotations[${JSON.stringify(name)}]`}`;
    return { kind: 'edited', line: after[index]?.locate(path).line ?? declared.line };
  });
  return { text: next, results };
}

interface Found {
  readonly document: YamlDocument;
  /** The index of the document in the file. */
  readonly index: number;
  readonly declared: Declared;
}

interface Spliced {
  readonly splices: readonly Splice[];
  readonly found: Found;
  readonly change: AnnotationChange;
}

function spliced(
  { object, change }: AnnotationEdit,
  found: Found | undefined,
): Spliced | { readonly why: string } {
  if (found === undefined || !isDeepStrictEqual(asDeclared(found.declared.object), asDeclared(object)))
    return { why: 'the manifest has changed meanwhile; try again' };
  const { parsed } = found.document;
  try {
    const splices = spliceAnnotation(parsed, pathOf(found.declared.prefix), change).map((splice) => ({
      ...splice,
      start: splice.start + parsed.start,
      end: splice.end + parsed.start,
    }));
    return { splices, found, change };
  } catch (error) {
    if (error instanceof ExpectedError) return { why: error.message };
    throw error;
  }
}

/** Returns the part of an object that a manifest declares. A resource also carries its remembered state. */
function asDeclared(object: ManifestObject): unknown {
  if ('data' in object) return object;
  const { spec, metadata } = object;
  return [spec, metadata.labels ?? {}, metadata.annotations ?? {}];
}

/** Returns the steps of a prefix such as `items[2].`. */
function pathOf(prefix: string): readonly (string | number)[] {
  return prefix
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** Applies the splices to a text. Returns undefined if two of them overlap, since one is wrong then. */
function withSplices(text: string, splices: readonly Splice[]): string | undefined {
  let next = '';
  let at = 0;
  for (const { start, end, text: part } of splices.toSorted((a, b) => a.start - b.start)) {
    if (start < at) return undefined;
    next += text.slice(at, start) + part;
    at = end;
  }
  return next + text.slice(at);
}

/** True if the new text has the values of the old one, except for the annotations to change. */
function saysSo(before: readonly YamlDocument[], text: string, done: readonly Spliced[]): boolean {
  const expected = unshared(before);
  const real = unshared(readYaml(text).documents);
  for (const { found, change } of done) {
    const path = pathOf(found.declared.prefix);
    const was = takeAnnotations(expected[found.index], path);
    const is = takeAnnotations(real[found.index], path);
    const { [change.name]: _, ...others } = was;
    const meant = change.value === null ? others : { ...others, [change.name]: change.value };
    if (!isDeepStrictEqual(is, meant)) return false;
  }
  return isDeepStrictEqual(real, expected);
}

/** Returns the values of documents without shared objects: an alias becomes a copy of its target. */
function unshared(documents: readonly YamlDocument[]): readonly Json[] {
  return JSON.parse(JSON.stringify(documents.map(({ value }) => value))) as Json[];
}

/** Removes the annotations of an object from its document, and returns them. */
function takeAnnotations(document: Json | undefined, path: readonly (string | number)[]): JsonObject {
  let value: unknown = document;
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step];
  const metadata = isJsonObject(value) ? (value['metadata'] as Record<string, Json> | undefined) : undefined;
  const annotations = metadata?.['annotations'];
  if (metadata !== undefined) delete metadata['annotations'];
  return isJsonObject(annotations) ? annotations : {};
}

function refused(why: string): EditResult {
  return { kind: 'refused', why };
}
