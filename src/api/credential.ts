import { isRecord } from './problem.ts';

/** Match names, and beginnings of values, that look like credentials. */
const NAME = /(?:token|secret|password|passwd|credential|api_?key|private_?key|access_?key)/i;
const VALUE =
  /^(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA[0-9A-Z]{12}|eyJ[A-Za-z0-9_-]{10}|-----BEGIN )/;

/** Matches a value that a command assigns. A reference to the environment does not match, since it reveals nothing. */
const ASSIGNED_VALUE = /^["']?[^\s"'$]/;
/** Matches a login in an HTTP header. A reference to the environment does not match, since it reveals nothing. */
const LOGIN_IN_HEADER = /authorization\W{1,4}(?:bearer|basic)\s[\w.~+/=-]{8}/i;
const LOGIN_IN_URL = /:\/\/[^\s/@]+@/;

/** True for a variable of a container whose plain-text value looks like a credential. */
export function looksLikeCredential(name: unknown, value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return NAME.test(String(name)) || VALUE.test(value);
}

/** True if a value, at any depth, contains something like a credential: a variable, a word, a login in a URL. */
export function carriesCredential(value: unknown): boolean {
  if (typeof value === 'string') return textCarriesCredential(value);
  if (Array.isArray(value)) return value.some(carriesCredential);
  if (!isRecord(value)) return false;
  return looksLikeCredential(value['name'], value['value']) || Object.values(value).some(carriesCredential);
}

function textCarriesCredential(text: string): boolean {
  if (assignsCredential(text) || LOGIN_IN_URL.test(text) || LOGIN_IN_HEADER.test(text)) return true;
  return VALUE.test(text) || text.split(/[\s=:"']+/).some((word) => VALUE.test(word));
}

/**
 * True for `TOKEN=value`. Reads each word once: one pattern for the whole text would restart at every `token` of a long
 * word.
 */
function assignsCredential(text: string): boolean {
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) {
    if (!ASSIGNED_VALUE.test(text.slice(at + 1, at + 3))) continue;
    let from = at;
    while (from > 0 && /\w/.test(text.charAt(from - 1))) from -= 1;
    if (NAME.test(text.slice(from, at))) return true;
  }
  return false;
}
