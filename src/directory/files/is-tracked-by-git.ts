import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { withFile } from './replace-file.ts';
import { errorCode } from './file-tree.ts';

const { O_NONBLOCK, O_RDONLY } = constants;

/** The most bytes that are read of a `.git` file, which holds the path of the repository. */
const LINK_BYTES = 8_192;

/**
 * True if git tracks a file, given by its real path, in any repository whose work tree contains it. Reads the indexes
 * and runs no program, since a repository can choose the programs that git runs. Throws a GitIndexError if an index
 * cannot be understood.
 */
export async function isTrackedByGit(realPath: string): Promise<boolean> {
  for (let folder = dirname(realPath); ; folder = dirname(folder)) {
    const index = await indexFileIn(folder);
    const path = relative(folder, realPath).split(sep).join('/');
    try {
      if (await holds(index, path)) return true;
    } catch (error) {
      throw new GitIndexError(index, error);
    }
    if (folder === dirname(folder)) return false;
  }
}

/** Thrown when an index is damaged or has an unknown layout. */
export class GitIndexError extends Error {
  constructor(index: string, cause: unknown) {
    super(`its index ${index} cannot be read`, { cause });
    this.name = 'GitIndexError';
  }
}

/**
 * Returns the path of the index of the repository whose work tree begins in this folder. In submodules and linked work
 * trees, `.git` is a file that points to the repository.
 */
async function indexFileIn(folder: string): Promise<string> {
  const git = join(folder, '.git');
  // Without O_NONBLOCK, opening a pipe of this name would block.
  const link = await withFile(git, O_RDONLY | O_NONBLOCK, async (file) => {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LINK_BYTES));
    return buffer.toString('utf8', 0, bytesRead);
  }).catch(() => '');
  const [, home] = /^gitdir: (.+)/.exec(link) ?? [];
  return join(home === undefined ? git : resolve(folder, home.trimEnd()), 'index');
}

/** True if an index contains a path. A missing index contains none. */
async function holds(index: string, path: string): Promise<boolean> {
  const bytes = await readFile(index).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
    throw error;
  });
  if (bytes === undefined) return false;
  const { names, split } = indexIn(bytes);
  const wanted = sameForAll(path);
  const isWanted = (name: string): boolean =>
    // A name that ends with a slash is a folder of a sparse index and stands for everything in it.
    name.endsWith('/') ? wanted.startsWith(sameForAll(name)) : sameForAll(name) === wanted;
  if (names.some(isWanted)) return true;
  if (split === undefined) return false;
  const shared = indexIn(await readFile(join(dirname(index), `sharedindex.${split.shared}`)));
  return shared.names.some((name, at) => isWanted(name) && !split.removed.has(at));
}

/**
 * Returns the form in which a file system may compare names. Some ignore case, and some ignore Unicode normalization.
 */
function sameForAll(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The parts of an index that are read here: https://git-scm.com/docs/index-format */
interface Index {
  readonly names: readonly string[];
  /** Set if a shared index holds further names. */
  readonly split: Split | undefined;
}

interface Split {
  /** The digest in the file name of the shared index. */
  readonly shared: string;
  /** Positions of the entries in the shared index that were removed since. */
  readonly removed: ReadonlySet<number>;
}

const SHA1_BYTES = 20;
const SHA256_BYTES = 32;

/**
 * Parses an index. Only the configuration gives the length of a digest, but an index parses with just one of the two.
 */
function indexIn(bytes: Buffer): Index {
  try {
    return read(bytes, SHA1_BYTES);
  } catch {
    return read(bytes, SHA256_BYTES);
  }
}

/** Parses an index. Throws if any of its bytes make no sense. */
function read(bytes: Buffer, digestBytes: number): Index {
  const end = bytes.length - digestBytes;
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) throw nonsense();
  const names: string[] = [];
  let at = 12;
  let name: Buffer = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    at += STAT_BYTES + digestBytes;
    at += (bytes.readUInt16BE(at) & EXTENDED) === 0 ? 2 : 4;
    let kept = 0;
    if (version === 4) {
      const { value, next } = varint(bytes, at);
      kept = name.length - value;
      at = next;
    }
    const nameEnd = bytes.indexOf(0, at);
    if (kept < 0 || nameEnd < 0 || nameEnd >= end) throw nonsense();
    const rest = bytes.subarray(at, nameEnd);
    name = kept === 0 ? rest : Buffer.concat([name.subarray(0, kept), rest]);
    names.push(name.toString('utf8'));
    // Before version 4, zeros pad an entry to a multiple of eight bytes.
    at = version === 4 ? nameEnd + 1 : start + ((nameEnd - start + 8) & ~7);
  }
  let split: Split | undefined;
  while (at < end) {
    const signature = bytes.toString('latin1', at, at + 4);
    const next = at + 8 + bytes.readUInt32BE(at + 4);
    if (next > end) throw nonsense();
    if (signature === 'link') split = splitIn(bytes.subarray(at + 8, next), digestBytes);
    // An extension whose name begins with a small letter is mandatory: a program that does not know it must not read
    // on.
    else if (!/^[A-Z]/.test(signature) && signature !== 'sdir') throw nonsense();
    at = next;
  }
  if (at !== end) throw nonsense();
  return { names, split };
}

/** The length of the times, device, inode, mode, owner and size of an entry. */
const STAT_BYTES = 40;

/** A flag of an entry: two bytes of further flags follow. */
const EXTENDED = 0x4000;

function nonsense(): RangeError {
  return new RangeError('this is no index of git');
}

/** Reads a number in base 128. Each byte except the last has its highest bit set and counts one more. */
function varint(bytes: Buffer, start: number): { readonly value: number; readonly next: number } {
  let next = start;
  let byte = bytes.readUInt8(next);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    next += 1;
    byte = bytes.readUInt8(next);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: next + 1 };
}

function splitIn(bytes: Buffer, digestBytes: number): Split | undefined {
  const shared = bytes.subarray(0, digestBytes);
  if (shared.every((byte) => byte === 0)) return undefined;
  const removed = new Set(bytes.length > digestBytes ? bitsOf(bytes, digestBytes) : []);
  return { shared: shared.toString('hex'), removed };
}

/** Yields the positions of the set bits in a bitmap of git (EWAH), which mixes runs of one bit with literal words. */
function* bitsOf(bytes: Buffer, start: number): Generator<number> {
  const total = bytes.readUInt32BE(start);
  const end = start + 8 + bytes.readUInt32BE(start + 4) * 8;
  let bit = 0;
  for (let at = start + 8; at < end;) {
    const run = bytes.readBigUInt64BE(at);
    const repeated = Number((run >> 1n) & 0xffff_ffffn) * 64;
    if ((run & 1n) === 1n) for (let n = bit; n < Math.min(bit + repeated, total); n += 1) yield n;
    bit += repeated;
    at += 8;
    for (let literals = Number(run >> 33n); literals > 0; literals -= 1, at += 8, bit += 64) {
      const word = bytes.readBigUInt64BE(at);
      for (let n = 0n; n < 64n; n += 1n) if (((word >> n) & 1n) === 1n) yield bit + Number(n);
    }
  }
}
