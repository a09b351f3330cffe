import { joinPatches, type SemanticsPatch } from './semantics.ts';
import { WORD_GROUPS } from './word-groups.ts';

/**
 * The switches that words set, or the problems of the words. The control endpoint, seeds and the command line use such
 * words.
 */
export type WordsResult =
  | { readonly ok: true; readonly patch: SemanticsPatch }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The group to use for a value that several groups share, if it is written without a group. */
const ALONE = new Map<string, string>(
  Object.keys(WORD_GROUPS.find(({ name }) => name === 'nested')?.values ?? {}).map((mode) => [
    mode,
    'nested',
  ]),
);

/** Reads switch words such as `replace,masked,on-presence`; a later word overrides an earlier one. */
export function parseSemantics(text: string): WordsResult {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const problems: string[] = [];
  let patch: SemanticsPatch = {};
  for (const word of words) {
    const found = readWord(word);
    if (typeof found === 'string') problems.push(found);
    else patch = collected(patch, found);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, patch };
}

function readWord(word: string): SemanticsPatch | string {
  const at = word.indexOf(':');
  if (at >= 0) return readIn(word.slice(0, at), word.slice(at + 1));
  const alone = ALONE.get(word);
  if (alone !== undefined) return readIn(alone, word);
  const groups = WORD_GROUPS.filter(({ values }) => Object.hasOwn(values, word));
  const [only] = groups;
  if (only === undefined)
    return `${word}: is not a switch word; expected group:value, groups are ${groupNames()}`;
  if (groups.length === 1) return only.values[word] ?? {};
  return `${word}: is in several groups; expected ${groups.map(({ name }) => `${name}:${word}`).join(' or ')}`;
}

function readIn(name: string, value: string): SemanticsPatch | string {
  const group = WORD_GROUPS.find((candidate) => candidate.name === name);
  if (group === undefined) return `${name}: is not a group of switches; expected ${groupNames()}`;
  const found = Object.hasOwn(group.values, value) ? group.values[value] : group.pattern?.read(value);
  if (found !== undefined) return found;
  const expected = [
    ...Object.keys(group.values),
    ...(group.pattern ? [`a number as in ${group.pattern.form}`] : []),
  ];
  return `${name}:${value}: is not known; expected ${expected.join(', ')}`;
}

/** Merges two changes: lists of switches accumulate, and other values are replaced. */
function collected(before: SemanticsPatch, next: SemanticsPatch): SemanticsPatch {
  const joined = joinPatches(before, next);
  return {
    ...joined,
    ...(next.normalise?.length ? { normalise: [...(before.normalise ?? []), ...next.normalise] } : {}),
    ...(next.listShape?.length ? { listShape: [...(before.listShape ?? []), ...next.listShape] } : {}),
  };
}

function groupNames(): string {
  return WORD_GROUPS.map(({ name }) => name).join(', ');
}
