import type { Key } from '../../api/metadata.ts';
import type { ChangeSource } from '../../ports/stores/change-source.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/** A source of changes and the effect of its changes on a queue. */
export interface Feed {
  readonly source: ChangeSource;
  readonly queue: Pick<WorkQueue, 'add'>;
  /** The priority of a change. */
  readonly priority: CallPriority;
  /** Returns the priority of a key that exists at the start. Default: the lowest. */
  readonly priorityAtStart?: (key: Key) => CallPriority;
  /** Returns the keys to process when `key` changes: those that depend on it. Default: the key itself. */
  readonly keysFor?: (key: Key) => Iterable<Key>;
}

/**
 * Adds the changes of a source to a queue until `signal` aborts. Resolves when the source has reported everything that
 * exists now. Those first keys have a separate priority, so that an edit around a start does not wait behind ten
 * thousand unchanged resources.
 */
export async function feed(feeding: Feed, signal: AbortSignal): Promise<void> {
  const { source, queue, keysFor, priorityAtStart = () => 'resync' } = feeding;
  let priorityOf: (key: Key) => CallPriority = priorityAtStart;
  const onChange = (key: Key): void => {
    if (signal.aborted) return;
    for (const affected of keysFor?.(key) ?? [key]) queue.add(affected, priorityOf(affected));
  };
  await source.start(onChange, signal);
  priorityOf = () => feeding.priority;
}
