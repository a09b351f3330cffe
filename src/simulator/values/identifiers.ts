import { createHash } from 'node:crypto';

/** Makes a UUID (version 4 in form) that is the same for the same text on every machine. */
export function uuidFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Makes forty hexadecimal characters, like the name of a commit, the same for the same text. */
export function commitFrom(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** True for the full hash of a commit, which names itself. */
export function isCommit(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref);
}

/** Makes UUIDs that differ from each other and are the same in every run with the same seed. */
export type NewUUID = (purpose: string) => string;

/** Makes UUIDs, counted per purpose, so that one kind of object does not shift the ids of another kind. */
export function countedUUIDs(seed: string): NewUUID {
  const made = new Map<string, number>();
  return (purpose) => {
    const number = (made.get(purpose) ?? 0) + 1;
    made.set(purpose, number);
    return uuidFrom(`${seed}/${purpose}/${number}`);
  };
}
