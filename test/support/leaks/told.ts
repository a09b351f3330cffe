import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets that must not be in any output for people. */
const secrets = new Set<string>();
const told = new Map<string, string>();
const folders = new Map<string, Set<string>>();
let watching = false;

/** Shorter words occur in ordinary texts, so the watch looks for secrets from this length on. */
const SHORTEST_SECRET = 6;

/** Larger than any state file of a test, in bytes. */
const LARGEST_FILE = 4 * 1024 * 1024;

/** A secret that was found in a text. */
export interface Leak {
  readonly secret: string;
  readonly spelling: string;
  readonly where: string;
  readonly text: string;
}

/** Starts to keep texts until they were searched. Returns false if the process keeps them already. */
export function startWatching(): boolean {
  const isFirst = !watching;
  watching = true;
  return isFirst;
}

/** Forgets the secrets of the test file before. */
export function forgetSecrets(): void {
  secrets.clear();
}

/** Ids are not secret: a header may select a tenant by its id. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Counts a text as secret for the rest of the test file. */
export function noteSecret(text: string): void {
  if (text.length >= SHORTEST_SECRET && !ID.test(text)) secrets.add(text);
}

/** Keeps a text that left the process, to be searched after the test. */
export function noteTold(where: string, what: unknown): void {
  if (watching) told.set(textOf(what), where);
}

/**
 * Makes the watch search the files of a folder after the test; returns a set for the names of files that the test
 * itself wrote.
 */
export function noteFolder(path: string): Set<string> {
  const own = new Set<string>();
  if (watching) folders.set(path, own);
  return own;
}

/** Returns the first secret in all output since the last call, if there is one. */
export function takeLeak(): Leak | undefined {
  for (const [path, own] of folders) noteFiles(path, own);
  const texts = [...told];
  told.clear();
  folders.clear();
  const all = texts.map(([text]) => text).join('\n');
  for (const secret of secrets) {
    const spelling = spellingsOf(secret).find((candidate) => all.includes(candidate));
    if (spelling === undefined) continue;
    const [text, where] = texts.find(([candidate]) => candidate.includes(spelling)) ?? [all, 'all'];
    return { secret, spelling, where, text };
  }
  return undefined;
}

function noteFiles(path: string, own: ReadonlySet<string>): void {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) noteFiles(file, own);
    else if (entry.isFile() && !own.has(file) && statSync(file).size <= LARGEST_FILE) {
      noteTold(file, readFileSync(file, 'latin1'));
    }
  }
}

/** Returns the spellings of a secret: in plain text, in JSON, in an address and in base64. */
export function spellingsOf(secret: string): readonly string[] {
  if (secret === '') return [];
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
      base64,
    ]),
  ];
}

/** Returns output as one text, with all parts of errors. */
export function textOf(what: unknown): string {
  return typeof what === 'string' ? what : (JSON.stringify(what, withErrors) ?? '');
}

function withErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
}
