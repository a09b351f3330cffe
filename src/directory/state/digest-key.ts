import { ExpectedError } from '../../base/expected-error.ts';
import { replaceFile } from '../files/replace-file.ts';
import { readTrusted } from './read-trusted.ts';
import { cannotKeepState } from '../files/write-trouble.ts';

const KEY_BYTES = 32;

/** Returns `count` unpredictable random bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/**
 * Returns the key in `path`, and creates it if it is missing. Only its owner can read it. Throws an ExpectedError if
 * the file holds something else, since a new key would make every stored digest worthless, or if it cannot be written.
 */
export async function loadOrCreateDigestKey(path: string, randomBytes: RandomBytes): Promise<Uint8Array> {
  return (await readDigestKey(path)) ?? (await createKey(path, randomBytes));
}

/**
 * Returns the key in `path`, or undefined if it is missing. Throws an ExpectedError if the file holds something else,
 * or may come from another user.
 */
export async function readDigestKey(path: string): Promise<Uint8Array | undefined> {
  const key = await readTrusted(path);
  if (key === undefined || key.length === KEY_BYTES) return key;
  throw new ExpectedError(
    `${path}: this is not a digest key of ${KEY_BYTES} bytes; restore a copy, or remove it to get a new one`,
  );
}

async function createKey(path: string, randomBytes: RandomBytes): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES);
  await replaceFile(path, key).catch((error: unknown) => {
    throw cannotKeepState(path, error);
  });
  return key;
}
