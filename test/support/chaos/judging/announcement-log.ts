import type { Cluster } from '../cluster.ts';

/** A write that was announced in the status of a resource, and how long the announcement stood there. */
export interface Announcement {
  /** Name of the resource. */
  readonly name: string;
  readonly operation: 'Create' | 'Patch' | 'Delete';
  /** As the announcement itself says; the write is sent after this. */
  readonly fromMs: number;
  /** When it was seen to be gone; absent while it stands. */
  goneMs?: number;
}

/** How often statuses are read. What nobody finishes stands for longer; what comes and goes in between was recorded. */
const LOOK_EVERY_MS = 250;

/** Reads the statuses of a namespace straight at the API server until told to stop, and notes every announcement in `log`. */
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
