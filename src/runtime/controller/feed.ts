import type { Key } from '../../api/metadata.ts';
import type { ChangeSource } from '../../ports/stores/change-source.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/** A source of changes and what its changes mean for a queue. */
export interface Feed {
  readonly source: ChangeSource;
  readonly queue: Pick<WorkQueue, 'add'>;
  /** How urgent a change is. */
  readonly priority: CallPriority;
  /** The priority of a key that exists at the start. Default: the lowest. */
  readonly priorityAtStart?: (key: Key) => CallPriority;
  /** Returns the keys to work on when `key` changed: those that depend on it. Default: the key itself. */
  readonly keysFor?: (key: Key) => Iterable<Key>;
}

/**
 * Lets a source fill a queue until `signal` aborts; resolves when it has reported what exists now. That first report
 * comes with a priority of its own, so that an edit made just before or after a start does not stand behind ten thousand
 * resources at rest.
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
