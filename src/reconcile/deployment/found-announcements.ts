import type { DeploymentResource } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';

interface Announcement {
  readonly time: string;
  /** The time at which this process first saw the announcement of another one; undefined for our own. */
  readonly foundMs: number | undefined;
  /** The newest revision that this process had seen before it saw the announcement, if no status names it. */
  readonly seenID?: string | undefined;
  /** The announcement that this one of ours replaced. */
  readonly before?: Announcement | undefined;
}

/**
 * Records which announcements this process made, and when it first saw those of others: of another replica, or of an
 * earlier process.
 */
export class FoundAnnouncements {
  readonly #known = new Map<string, Announcement>();

  /** Records an announcement that this process has just made. */
  made(announced: DeploymentResource): void {
    const time = announced.status?.pendingWrite?.time;
    const text = keyText(keyOf(announced));
    const { before: _, ...before } = this.#known.get(text) ?? { time: '', foundMs: undefined };
    if (time !== undefined) this.#known.set(text, { time, foundMs: undefined, before });
  }

  /** Withdraws the newest announcement: the one before it is valid again. */
  withdrawn(announced: DeploymentResource): void {
    const text = keyText(keyOf(announced));
    const before = this.#known.get(text)?.before;
    if (before !== undefined) this.#known.set(text, before);
  }

  /**
   * Returns when this process first saw the announcement of another process, and the revision that an earlier pass
   * had seen; empty if there is no announcement. An announcement in the future was made before the clock was set
   * back: it counts from now, like one of another process.
   */
  found(
    resource: DeploymentResource,
    nowMs: number,
    seenID: string | undefined,
  ): { readonly foundMs?: number | undefined; readonly foundRevisionID?: string | undefined } {
    const text = keyText(keyOf(resource));
    const time = resource.status?.pendingWrite?.time;
    if (time === undefined) {
      this.#known.delete(text);
      return {};
    }
    const known = this.#known.get(text);
    const isAhead = nowMs < (known?.foundMs ?? Date.parse(time));
    if (known?.time === time && !isAhead) return { foundMs: known.foundMs, foundRevisionID: known.seenID };
    this.#known.set(text, { time, foundMs: nowMs, seenID });
    return { foundMs: nowMs, foundRevisionID: seenID };
  }

  /** Forgets a resource that is gone. */
  forget(text: string): void {
    this.#known.delete(text);
  }
}
