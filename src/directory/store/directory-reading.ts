import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FailureError } from '../../model/connection/failure.ts';
import type { Digester } from '../../ports/process/digester.ts';
import { hashOf } from '../manifests/hash-of.ts';
import type { ManifestFiles, Manifests } from '../manifests/manifest-files.ts';
import type { Reading } from '../files/watch-folders.ts';
import type { SecretFiles } from '../manifests/secret-files.ts';

/** The manifests and secret files of one reading. */
export interface DirectoryReading extends Reading {
  readonly manifests: Manifests;
  /** Keyed digests of the values of each Secret in the folder of secret files, by name. */
  readonly secretDigests: ReadonlyMap<string, string>;
}

/** Reads everything once. Does not keep the values of secret files. */
export async function readDirectory(about: {
  readonly manifestFiles: ManifestFiles;
  readonly secretFiles: SecretFiles | undefined;
  readonly digester: Digester;
  /** Manifests that the caller has just read. */
  readonly manifests?: Manifests | undefined;
}): Promise<DirectoryReading> {
  const manifests = about.manifests ?? (await about.manifestFiles.read());
  const secretDigests = new Map<string, string>();
  const folders = [...manifests.folders];
  if (about.secretFiles !== undefined) {
    folders.push(about.secretFiles.folder);
    for (const name of await about.secretFiles.names()) {
      const digest = await digestOf(about.secretFiles, name, about.digester);
      if (digest === undefined) continue;
      secretDigests.set(name, digest);
      folders.push(join(about.secretFiles.folder, name));
    }
  }
  const content = JSON.stringify([manifests.contentHash, ...secretDigests]);
  const contentHash = createHash('sha256').update(content).digest('base64url');
  return { manifests, secretDigests, contentHash, folders };
}

/**
 * Returns a digest of the values of a Secret or, if they cannot be used, of the reason: its users must learn of a
 * change of either. An unusable Secret does not keep the others from being read.
 */
async function digestOf(files: SecretFiles, name: string, digester: Digester): Promise<string | undefined> {
  try {
    const data = await files.read(name);
    return data === undefined ? undefined : hashOf({ content: { data }, uid: name }, digester);
  } catch (error) {
    if (error instanceof FailureError) return `unusable:${digester.digest(error.message)}`;
    throw error;
  }
}

/** Returns the names of Secrets whose files were added, removed or changed. */
export function changedSecrets(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
}
