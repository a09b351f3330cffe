import { defined } from '../../base/defined.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { askedLook } from '../../model/decide/recent-look.ts';

/** The times, in milliseconds, at which this process first saw the requests of a person; absent without a request. */
export interface Sighting {
  /** The time of an edit: a generation that was not carried out yet. */
  readonly editSeenMs?: number;
  /** The time of a request in reconcile-at that was not handled yet. */
  readonly lookAskedMs?: number;
}

interface Seen {
  readonly text: string;
  readonly atMs: number;
}

/**
 * Remembers when edits and requests for a look were first seen, which is before a pass handles them. One look that
 * began after several of them serves all of them.
 */
export class Sightings {
  readonly #edits = new Map<string, Seen>();
  readonly #looks = new Map<string, Seen>();

  /** Records the current requests of a resource, and returns since when each of them exists. */
  of(resource: DeploymentResource, nowMs: number): Sighting {
    const { metadata, status } = resource;
    const text = keyText(keyOf(resource));
    const isCarriedOut = status?.applied?.generation === metadata.generation;
    const edit = isCarriedOut ? undefined : `${metadata.uid ?? ''} ${metadata.generation ?? 0}`;
    const editSeenMs = firstSeen(this.#edits, text, { asks: edit, nowMs });
    const lookAskedMs = firstSeen(this.#looks, text, { asks: askedLook(resource), nowMs });
    return defined({ editSeenMs, lookAskedMs });
  }

  /** Forgets a resource that is gone. */
  forget(text: string): void {
    this.#edits.delete(text);
    this.#looks.delete(text);
  }
}

function firstSeen(
  known: Map<string, Seen>,
  key: string,
  { asks, nowMs }: { readonly asks: string | undefined; readonly nowMs: number },
): number | undefined {
  if (asks === undefined) {
    known.delete(key);
    return undefined;
  }
  const before = known.get(key);
  if (before?.text === asks) return before.atMs;
  known.set(key, { text: asks, atMs: nowMs });
  return nowMs;
}
