import { looksLikeCredential } from '../../api/credential.ts';

/** The parts of a value that count as secrets of their own. */
export interface Parts {
  /** The parts that are hidden anywhere in a text. */
  readonly anywhere: readonly string[];
  /** The parts that are hidden only as separate words. */
  readonly alone: readonly string[];
}

/**
 * The length from which a part of a value is hidden anywhere. A shorter part is hidden only if its name is that of a
 * password and it is a separate word: other short parts are everyday words such as `main` and `true`.
 */
const SHORTEST_LONG = 8;

/** The shortest password that is hidden as a part; a shorter one is hidden only within the whole value. */
const SHORTEST = 4;

/** The longest value whose lines are parsed; in a longer value, each line counts only as a whole. */
const LONGEST_SEARCHED = 64 * 1024;

/** The greatest depth at which a value is searched for credentials. */
const DEEPEST = 8;

/** Matches `NAME=value` and `name: value`, as in files of variables and settings. */
const ASSIGNMENT = /^\s*(?:export\s+)?["']?([\w.-]+)["']?\s*[=:]\s*(\S.*)$/s;

/** Matches a value in quotation marks, and what may follow it on the line. */
const QUOTED = /^(["'])(.*?)\1\s*(?:[,;]\s*)?(?:#.*)?$/s;

/** Matches a name without a meaning of its own, so that the names around it describe the value. */
const BARE_NAME = /^value$/i;

/** Whether a name marks a value as a credential: its own name, or only one around it. */
type Named = 'itself' | 'around' | 'no';

/**
 * Returns the value, and the parts of it that a service may repeat alone: the value without the blanks around it,
 * such as the line end of a shell; its long lines; the password of an address; and the values under the name of a
 * credential in JSON and in a file of variables.
 */
export function partsOf(value: string): Parts {
  const lines = linesOf(value);
  const named = value.length > LONGEST_SEARCHED ? [] : namedIn(value, lines);
  const anywhere = new Set([value, value.trim(), ...lines.filter(isLong), ...named.filter(isLong)]);
  return {
    anywhere: [...anywhere],
    alone: named.filter((part) => part.length >= SHORTEST && !isLong(part)),
  };
}

function isLong(part: string): boolean {
  return part.length >= SHORTEST_LONG;
}

function linesOf(value: string): readonly string[] {
  return value.split(/[\r\n]+/).map((line) => line.trim());
}

function namedIn(value: string, lines: readonly string[]): readonly string[] {
  return [...passwordsIn(value), ...lines.flatMap(assignedIn), ...credentialsInJSON(value)];
}

/** Matches the user before the host of an address, and the password after the colon. */
const LOGIN = /^\s*[a-z][a-z0-9+.-]*:\/\/([^/?#\s:]*)(?::([^/?#\s]*))?@/i;

/**
 * Returns the password before the host of an address, as written and as decoded. A user without a password may be a
 * token, which is long; a short one is a name.
 */
function passwordsIn(value: string): readonly string[] {
  const [, user = '', password = ''] = LOGIN.exec(value) ?? [];
  return password === '' ? [user, decoded(user)].filter(isLong) : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function assignedIn(line: string): readonly string[] {
  const [, name, assigned] = ASSIGNMENT.exec(line) ?? [];
  if (name === undefined || assigned === undefined) return [];
  return meantBy(assigned).flatMap((meant) => [
    ...(looksLikeCredential(name, meant) ? [meant] : []),
    ...passwordsIn(meant),
  ]);
}

/**
 * Returns the text in quotation marks; without quotation marks, the whole text and its part before a comment or a
 * trailing separator.
 */
function meantBy(assigned: string): readonly string[] {
  const quoted = QUOTED.exec(assigned)?.[2];
  if (quoted !== undefined) return [quoted];
  const bare = assigned.replace(/\s#.*$/s, '').trimEnd();
  return [assigned, bare.replace(/[,;]$/, '')];
}

function credentialsInJSON(value: string): readonly string[] {
  if (!/^\s*[[{]/.test(value)) return [];
  try {
    return credentialsIn(JSON.parse(value, withNumbersAsWritten), 'no', DEEPEST);
  } catch {
    return [];
  }
}

/** Keeps numbers in their written form: a number may be a password, and a long number changes when it is parsed. */
function withNumbersAsWritten(
  _key: string,
  member: unknown,
  context?: { readonly source?: string },
): unknown {
  return typeof member === 'number' ? (context?.source ?? String(member)) : member;
}

function credentialsIn(value: unknown, named: Named, depth: number): readonly string[] {
  if (typeof value === 'string') return [...credentialIn(value, named), ...passwordsIn(value)];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    credentialsIn(member, Array.isArray(value) ? named : namedBy(key, named), depth - 1),
  );
}

function namedBy(name: string, around: Named): Named {
  if (looksLikeCredential(name, 'any')) return 'itself';
  return around === 'no' || BARE_NAME.test(name) ? around : 'around';
}

/**
 * Returns a value that counts as a credential. If only a name around it says so, it may be a word such as a user name,
 * and counts only if it is long.
 */
function credentialIn(value: string, named: Named): readonly string[] {
  const parts = [value, ...linesOf(value)];
  if (named === 'itself' || looksLikeCredential('', value)) return parts;
  return named === 'around' ? parts.filter(isLong) : [];
}
