/** How many escapes of escapes are recognised: a text inside JSON inside JSON inside JSON. */
const BACKSLASHES = String.raw`\\{1,8}`;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '"': '"',
  "'": "'",
  '/': '/',
};

/** A neighbour shares some bits with the value. */
const BASE64_NEIGHBOUR = '(?:[A-Za-z0-9+/_-]|%2[bBfF])?';

/** Fewer characters of base64 than this say nothing: ordinary words would be taken for them. */
const SHORTEST_BASE64 = 4;

/**
 * The source of a regular expression (with flag `u`) that finds `value` however it was escaped on its way: as it is,
 * in JSON (also with \u escapes, or escaped more than once), URL-encoded, or inside a base64 text at any offset. Each
 * character may be spelled in a way of its own.
 */
export function spellingsOf(value: string): string {
  return [escapedSpelling(value), ...base64Spellings(value)].join('|');
}

function escapedSpelling(value: string): string {
  const parts = value.match(/\\+|[^\\]/gu) ?? [];
  return parts
    .map((part) => (part.startsWith('\\') ? backslashes(part.length) : spelledCharacter(part)))
    .join('');
}

function backslashes(count: number): string {
  const range = `{${count},${count * 8}}`;
  return String.raw`(?:\\${range}|(?:\\{0,8}%(?:25){0,4}5[cC])${range}|(?:${BACKSLASHES}u005[cC]){${count}})`;
}

function spelledCharacter(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  const spellings = [literal(character), unicodeEscape(character), percentEncoded(character)];
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) spellings.push(`${BACKSLASHES}${literal(short)}`);
  if (character === ' ') spellings.push(String.raw`\+`);
  return `(?:${spellings.join('|')})`;
}

function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, n) => character.charCodeAt(n));
  return units.map((unit) => `${BACKSLASHES}u${anyCase(unit.toString(16).padStart(4, '0'))}`).join('');
}

function percentEncoded(character: string): string {
  const bytes = Array.from(new TextEncoder().encode(character));
  return bytes.map((byte) => `%(?:25){0,4}${anyCase(byte.toString(16).padStart(2, '0'))}`).join('');
}

/** Base64 depends on where the value begins; what does not depend on its neighbours is looked for. */
function base64Spellings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const spellings = [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const encoded = base64(shifted);
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6));
    return own.length < SHORTEST_BASE64 ? [] : [own];
  });
  return spellings.map((own) => {
    const spelled = own.replaceAll(/[+/]/g, (sign) =>
      sign === '+' ? String.raw`(?:\+|-|%2[bB])` : String.raw`(?:\\{0,8}/|_|%2[fF])`,
    );
    return `${BASE64_NEIGHBOUR}${spelled}${BASE64_NEIGHBOUR}(?:=|%3[dD]){0,2}`;
  });
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function anyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
}
