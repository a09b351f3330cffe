import { createHash } from 'node:crypto';
import { join, resolve, sep } from 'node:path';
import { keyText } from '../../api/metadata.ts';
import { error } from '../../api/problem.ts';
import { type FileProblem, MAX_MANIFEST_BYTES } from '../../api/file-problem.ts';
import { withFile } from '../files/replace-file.ts';
import { errorCode, findFiles } from '../files/file-tree.ts';
import { type Declared, type ReadManifest, readManifest } from './read-manifest.ts';
import { type Finding, visitYaml } from '../yaml/read-yaml.ts';

/** The path that means standard input. */
export const STDIN = '-';

/** Reads standard input to its end, or until it exceeds `maxBytes`. */
export type ReadStdin = (maxBytes: number) => Promise<Uint8Array>;

/** An object as a file declares it. */
export interface DeclaredInFile extends Declared {
  readonly file: string;
}

/** Everything that the manifests declare at one time. */
export interface Manifests {
  /** The declared objects, by the texts of their keys. */
  readonly declared: ReadonlyMap<string, DeclaredInFile>;
  readonly problems: readonly FileProblem[];
  /** The number of ignored documents of other kinds, by `apiVersion kind`. */
  readonly ignored: ReadonlyMap<string, number>;
  /** Changes if and only if something that was read changes. */
  readonly contentHash: string;
  /** The folders that were searched. */
  readonly folders: readonly string[];
  /** Given folders that declare nothing. A folder that is still being filled looks the same. */
  readonly empty: readonly string[];
}

/** True if the reading is complete as far as known, so that a missing manifest was removed. */
export function isComplete({ declared, empty, problems }: Manifests): boolean {
  const sound = !problems.some(({ severity }) => severity === 'error');
  return declared.size > 0 && empty.length === 0 && sound;
}

interface FileContent {
  readonly hash: string;
  /** The number of tokens that were read, or 0 if the file was not parsed. */
  readonly tokens: number;
  readonly declared: readonly Declared[];
  readonly findings: readonly Finding[];
  readonly ignored: readonly string[];
}

/**
 * Reads manifests from folders, files or, for `-`, standard input. Reads a file at every call and parses it only after
 * its content changed. A broken document becomes a problem and hides no other document.
 */
export class ManifestFiles {
  readonly #paths: readonly string[];
  readonly #readStdin: ReadStdin;
  readonly #ignored: readonly string[];
  readonly #namespace: string | undefined;
  readonly #mostTokens: number;
  #parsed: ReadonlyMap<string, FileContent> = new Map();

  constructor(
    paths: readonly string[],
    options: {
      readonly readStdin?: ReadStdin | undefined;
      /** Files to ignore, wherever they are found. */
      readonly ignored?: readonly string[];
      /** The namespace of documents that name none. Default: `default`. */
      readonly namespace?: string | undefined;
      /** The most tokens of all files together. A file that begins below the limit is still read. */
      readonly mostTokens?: number;
    } = {},
  ) {
    this.#paths = paths;
    this.#readStdin = options.readStdin ?? noStdin;
    this.#namespace = options.namespace;
    this.#mostTokens = options.mostTokens ?? MOST_TOKENS;
    this.#ignored = (options.ignored ?? []).map((path) => resolve(path));
  }

  /** Reads everything once. Never throws because of the content of a file, nor for an unreadable file. */
  async read(): Promise<Manifests> {
    const tree = await findFiles(this.#paths.filter((path) => path !== STDIN));
    const parsed = new Map<string, FileContent>();
    const problems = tree.unreadable.map(({ path, code }) => unreadable(path, code));
    const files = tree.files.filter((file) => !this.#ignored.includes(resolve(file)));
    const wanted = this.#paths.includes(STDIN) ? [...files, STDIN] : files;
    let tokens = 0;
    for (let at = 0; at < wanted.length; at += READ_AT_ONCE) {
      const some = wanted.slice(at, at + READ_AT_ONCE);
      const read = await Promise.allSettled(some.map((file) => this.#bytes(file)));
      for (const [n, file] of some.entries()) {
        const result = read[n];
        if (result?.status !== 'fulfilled') problems.push(unreadable(file, errorCode(result?.reason)));
        else {
          const content = this.#parse(file, result.value, tokens < this.#mostTokens);
          tokens += content.tokens;
          parsed.set(file, content);
        }
      }
    }
    this.#parsed = parsed;
    const gathered = gather(parsed, problems, tree.folders);
    const given = this.#paths.filter((path) => tree.folders.includes(path));
    const declaring = [...parsed].filter(([, { declared }]) => declared.length > 0).map(([file]) => file);
    const empty = given.filter((folder) => !declaring.some((file) => isIn(folder, file)));
    return { ...gathered, empty };
  }

  async #bytes(file: string): Promise<Uint8Array> {
    if (file === STDIN) return bounded(await this.#readStdin(MAX_MANIFEST_BYTES));
    return withFile(file, 'r', async (handle) => {
      const { size } = await handle.stat();
      // A file that fills the buffer has grown, or is a pipe or a device, whose size is unknown.
      const buffer = Buffer.alloc(Math.min(size, MAX_MANIFEST_BYTES) + 1);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead < buffer.length) return buffer.subarray(0, bytesRead);
      const stream = handle.createReadStream({ end: MAX_MANIFEST_BYTES, autoClose: false });
      const rest = (await stream.toArray()) as Buffer[];
      return bounded(Buffer.concat([buffer, ...rest]));
    });
  }

  #parse(file: string, bytes: Uint8Array, isWithinBounds: boolean): FileContent {
    const hash = createHash('sha256').update(bytes).digest('base64url');
    if (!isWithinBounds) return { hash, ...unread(...TOO_MUCH) };
    const known = this.#parsed.get(file);
    // A file that was skipped before may fit now.
    return known?.hash === hash && known.tokens > 0 ? known : { hash, ...parseFile(bytes, this.#namespace) };
  }
}

/** The default limit of all files together: 25,000 manifests of 300 tokens, and 20 seconds of parsing. */
const MOST_TOKENS = 8_000_000;

const TOO_MUCH = [
  'all files together have too many parts; this one is not read',
  'fewer manifests, or several folders by themselves',
] as const;

/** The number of files that are open at a time. */
const READ_AT_ONCE = 16;

/** Returns the bytes. Throws if they exceed the limit. */
function bounded(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= MAX_MANIFEST_BYTES) return bytes;
  throw Object.assign(new Error('the file is too large'), { code: 'EFBIG' });
}

function isIn(folder: string, file: string): boolean {
  return resolve(file).startsWith(join(resolve(folder), sep));
}

async function noStdin(): Promise<Uint8Array> {
  return new Uint8Array();
}

function parseFile(bytes: Uint8Array, namespace: string | undefined): Omit<FileContent, 'hash'> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return unread('this is not UTF-8 text', 'the file saved as UTF-8');
  }
  const read: ReadManifest[] = [];
  const { findings, tokens } = visitYaml(text, (document) => read.push(readManifest(document, namespace)));
  return {
    tokens,
    declared: read.flatMap(({ declared }) => declared),
    findings: theFirst([...findings, ...read.flatMap((document) => document.findings)].toSorted(byPlace)),
    ignored: read.flatMap(({ ignored }) => ignored),
  };
}

/** Returns the content of a file that is not parsed, with the reason. */
function unread(message: string, expected: string): Omit<FileContent, 'hash'> {
  return { tokens: 0, declared: [], findings: [error('', message, expected)], ignored: [] };
}

/** The most errors, and the most warnings, that are reported for one file. */
const MOST_TOLD = 200;

/** Returns as many findings as a person fixes before looking again, and a note that more exist. */
function theFirst(findings: readonly Finding[]): readonly Finding[] {
  return (['error', 'warning'] as const)
    .flatMap((severity) => {
      const all = findings.filter((finding) => finding.severity === severity);
      if (all.length <= MOST_TOLD) return all;
      const message = 'there are more of these in this file';
      return [
        ...all.slice(0, MOST_TOLD),
        { path: '', message, expected: 'those above mended first', severity },
      ];
    })
    .toSorted(byPlace);
}

function gather(
  files: ReadonlyMap<string, FileContent>,
  fileProblems: readonly FileProblem[],
  folders: readonly string[],
): Omit<Manifests, 'empty'> {
  const declared = new Map<string, DeclaredInFile>();
  const problems = [...fileProblems];
  const ignored = new Map<string, number>();
  const hash = createHash('sha256').update(JSON.stringify(fileProblems));
  for (const [file, content] of files) {
    hash.update(JSON.stringify([file, content.hash]));
    for (const finding of content.findings) problems.push({ file, ...finding });
    for (const kind of content.ignored) ignored.set(kind, (ignored.get(kind) ?? 0) + 1);
    for (const object of content.declared) {
      const first = declared.get(keyText(object.key));
      if (first === undefined) declared.set(keyText(object.key), { file, ...object });
      else problems.push(declaredTwice(file, object, first));
    }
  }
  return { declared, problems, ignored, contentHash: hash.digest('base64url'), folders };
}

function declaredTwice(file: string, { line, column, key }: Declared, first: DeclaredInFile): FileProblem {
  const expected = `one of the two: it stands at ${first.file}:${first.line} already`;
  return { file, line, column, ...error('metadata.name', `${keyText(key)} is declared twice`, expected) };
}

const UNREADABLE: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['there is no such file or folder', 'the path of one that exists'],
  EACCES: ['this cannot be read', 'permission for this user to read it'],
  OUTSIDE: [
    'this link leads out of the folder and is not followed',
    'what it leads to beside the folder, with -f',
  ],
  SPECIAL: ['this is no regular file but a pipe, a socket or a device, and is not read', 'a regular file'],
  ELOOP: ['the symbolic links go round in a circle', 'a link that leads to a file'],
  EFBIG: ['this file is too large', `files of at most ${MAX_MANIFEST_BYTES / 1024 / 1024} MiB`],
};

function unreadable(file: string, code: string): FileProblem {
  const [message, expected] = UNREADABLE[code] ?? [
    `this cannot be read (${code})`,
    'a file that can be read',
  ];
  return { file, ...error('', message, expected) };
}

function byPlace(a: Finding, b: Finding): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
