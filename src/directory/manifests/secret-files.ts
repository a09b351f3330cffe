import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FailureError } from '../../model/connection/failure.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { type DataEntry, dataEntry, type DataManifest } from './data-manifest.ts';
import { errorCode } from '../files/file-tree.ts';

/** Matches names that Secrets and their keys can have: they cannot lead out of the folder or begin with a dot. */
const SAFE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** The largest value that is read, as much as an API server stores in a Secret. */
const MOST_BYTES = 1024 * 1024;

/**
 * Reads a folder that has one folder per Secret and one file per key, as Kubernetes mounts Secrets. Reads the files
 * again for each request and keeps nothing.
 */
export class SecretFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Returns the values of one Secret, or undefined if no folder has its name. Throws a FailureError (SecretMissing) for
   * a key that is not a regular file, or that is larger than a Secret can be.
   */
  async read(name: string): Promise<DataManifest['data'] | undefined> {
    if (!SAFE_NAME.test(name)) return undefined;
    const folder = join(this.folder, name);
    const keys = await namesIn(folder);
    if (keys === undefined) return undefined;
    const data = new Map<string, DataEntry>();
    for (const key of keys) {
      const bytes = await contentOf(join(folder, key)).catch(ignoreMissing);
      if (bytes !== undefined) data.set(key, dataEntry(bytes));
    }
    return data;
  }

  /** Returns the names of all Secrets. Throws if the folder itself cannot be read. */
  async names(): Promise<readonly string[]> {
    return (await namesIn(this.folder)) ?? [];
  }
}

/** Lists a folder without the internals of mounted volumes. Returns undefined if it is not a folder. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).filter((name) => SAFE_NAME.test(name)).toSorted();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return undefined;
    throw error;
  }
}

/**
 * Returns the bytes of a regular file, or undefined for a folder. Refuses a pipe, on which a blocking open would wait.
 */
async function contentOf(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) return undefined;
    if (!stats.isFile()) throw unusable(path, 'is no regular file: a pipe, a socket or a device');
    if (stats.size > MOST_BYTES) throw unusable(path, 'is larger than 1 MiB, which no Secret can hold');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function unusable(path: string, what: string): FailureError {
  return new FailureError(`the file ${textForPeople(path)} of --secrets-dir ${what}`, {
    kind: 'transient',
    reason: 'SecretMissing',
    sent: 'no',
  });
}

/**
 * Returns undefined for a key that was removed between listing and reading, or that is a folder. Throws other errors.
 */
function ignoreMissing(error: unknown): undefined {
  if (!['ENOENT', 'EISDIR'].includes(errorCode(error))) throw error;
  return undefined;
}
