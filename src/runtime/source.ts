import type { Key } from '../api/metadata.ts';
import type { ChangeSource } from '../ports/change-source.ts';
import type { CallPriority } from '../ports/external-client.ts';
import type { WorkQueue } from './work-queue.ts';

/** A source of changes and what its changes mean for a queue. */
export interface Feed {
  readonly source: ChangeSource;
  readonly queue: Pick<WorkQueue, 'add'>;
  /** How urgent a change is. */
  readonly priority: CallPriority;
  /** The keys to work on when `key` changed: those that depend on it. Itself unless told. */
  readonly keysFor?: (key: Key) => Iterable<Key>;
}

/**
 * Lets a source fill a queue until `signal` aborts; resolves when it has told what exists now. That first telling
 * comes with the lowest priority, so that an edit made just after a start does not stand behind a thousand
 * resources at rest.
 */
export async function feed(feeding: Feed, signal: AbortSignal): Promise<void> {
  const { source, queue, keysFor } = feeding;
  let priority: CallPriority = 'resync';
  const onChange = (key: Key): void => {
    if (signal.aborted) return;
    for (const affected of keysFor?.(key) ?? [key]) queue.add(affected, priority);
  };
  await source.start(onChange, signal);
  priority = feeding.priority;
}
