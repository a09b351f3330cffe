import type { DeploymentResource } from '../api/deployment.ts';
import { keyOf, keyText } from '../api/metadata.ts';

interface Announcement {
  readonly time: string;
  /** Undefined for our own. */
  readonly foundMs: number | undefined;
}

/** Which announcements this process made, and when it first saw those of others: of a replica before it, or of itself. */
export class FoundAnnouncements {
  readonly #known = new Map<string, Announcement>();

  /** Notes one that this process has just made. */
  made(announced: DeploymentResource): void {
    const time = announced.status?.pendingWrite?.time;
    if (time !== undefined) this.#known.set(keyText(keyOf(announced)), { time, foundMs: undefined });
  }

  /** When the announcement of another process was first seen; undefined where there is none. */
  foundMs(resource: DeploymentResource, nowMs: number): number | undefined {
    const text = keyText(keyOf(resource));
    const time = resource.status?.pendingWrite?.time;
    if (time === undefined) {
      this.#known.delete(text);
      return undefined;
    }
    const known = this.#known.get(text);
    if (known?.time === time) return known.foundMs;
    this.#known.set(text, { time, foundMs: nowMs });
    return nowMs;
  }

  /** The resource is gone. */
  forget(text: string): void {
    this.#known.delete(text);
  }
}
