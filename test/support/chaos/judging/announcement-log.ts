import type { Cluster } from '../cluster.ts';

/** A write that was announced in the status of a resource, and the time for which the announcement existed. */
export interface Announcement {
  /** Name of the resource. */
  readonly name: string;
  readonly operation: 'Create' | 'Patch' | 'Delete';
  /** The time of the announcement in the status; the write is sent after it. */
  readonly fromMs: number;
  /** The time at which it was first seen to be missing; absent while it exists. */
  goneMs?: number;
}

/**
 * The interval at which statuses are read. An unfinished announcement exists for longer; one that comes and goes
 * between two reads was recorded.
 */
const LOOK_EVERY_MS = 250;

/**
 * Reads the statuses of a namespace directly at the API server until the signal aborts, and adds every announcement
 * to `log`.
 */
export async function followAnnouncements(
  cluster: Cluster,
  log: Announcement[],
  stopped: AbortSignal,
): Promise<void> {
  const standing = new Map<string, Announcement>();
  while (!stopped.aborted) {
    const seen = new Set<string>();
    for (const { metadata, status } of await cluster.items(cluster.ours('deployments'))) {
      const { pendingWrite } = status ?? {};
      if (pendingWrite === undefined) continue;
      const key = `${metadata.uid} ${pendingWrite.operation} ${pendingWrite.time} ${pendingWrite.bodyDigest}`;
      seen.add(key);
      if (standing.has(key)) continue;
      const { operation, time } = pendingWrite;
      const announcement = { name: metadata.name, operation, fromMs: Date.parse(time) };
      standing.set(key, announcement);
      log.push(announcement);
    }
    for (const [key, announcement] of standing) {
      if (seen.has(key)) continue;
      announcement.goneMs = Date.now();
      standing.delete(key);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
