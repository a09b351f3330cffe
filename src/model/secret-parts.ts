import { looksLikeCredential } from '../api/credential.ts';

/** The parts of a value that count as secrets of their own. */
export interface Parts {
  /** Wherever it stands in a text. */
  readonly anywhere: readonly string[];
  /** Only where it is no part of a word. */
  readonly alone: readonly string[];
}

/**
 * A part of a value is hidden wherever it stands from this length on, and a shorter one where it is no part of a
 * word.
 */
export const SHORTEST_LONG = 8;

/** Still shorter parts are words and signs of everyday text. */
const SHORTEST = 4;

/** Longer values are searched for their lines alone, and not for what stands in these. */
const LONGEST_SEARCHED = 64 * 1024;

/** As deep as the text of a credential goes. */
const DEEPEST = 8;

/** `NAME=value` and `name: value`, as files of variables and settings have them. */
const ASSIGNMENT = /^\s*(?:export\s+)?["']?([\w.-]+)["']?\s*[=:]\s*(\S.*)$/;

/**
 * The value and what a service may repeat of it alone: without the blanks around it, as the line end that a shell put
 * there; each of its lines; the password of an address; and what stands under the name of a credential in JSON and in
 * a file of variables.
 */
export function partsOf(value: string): Parts {
  const lines = linesOf(value);
  const parts = value.length > LONGEST_SEARCHED ? lines : [...lines, ...namedIn(value, lines)];
  const isLong = (part: string): boolean => part.length >= SHORTEST_LONG;
  const anywhere = new Set([value, value.trim(), ...parts.filter(isLong)]);
  return {
    anywhere: [...anywhere],
    alone: parts.filter((part) => part.length >= SHORTEST && !isLong(part)),
  };
}

function linesOf(value: string): readonly string[] {
  if (!/[\r\n]/.test(value)) return [];
  return value.split(/[\r\n]+/).map((line) => line.trim());
}

function namedIn(value: string, lines: readonly string[]): readonly string[] {
  return [...passwordsIn(value), ...lines.flatMap(assignedIn), ...credentialsInJSON(value)];
}

/** The password before the host of an address, as it stands there and as it is meant. */
function passwordsIn(value: string): readonly string[] {
  const [, login = ''] = /^\s*[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i.exec(value) ?? [];
  const password = login.slice(login.indexOf(':') + 1);
  return [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function assignedIn(line: string): readonly string[] {
  const [, name, assigned = ''] = ASSIGNMENT.exec(line) ?? [];
  if (name === undefined) return [];
  const bare = /^(["'])(.*)\1[,;]?$/.exec(assigned)?.[2] ?? assigned;
  return looksLikeCredential(name, bare) ? [bare] : passwordsIn(bare);
}

function credentialsInJSON(value: string): readonly string[] {
  if (!/^\s*[[{]/.test(value)) return [];
  try {
    return credentialsIn(JSON.parse(value), '', DEEPEST);
  } catch {
    return [];
  }
}

function credentialsIn(value: unknown, name: string, depth: number): readonly string[] {
  if (typeof value === 'string') {
    const own = looksLikeCredential(name, value) ? [value, ...linesOf(value)] : [];
    return [...own, ...passwordsIn(value)];
  }
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    credentialsIn(member, Array.isArray(value) ? name : key, depth - 1),
  );
}
