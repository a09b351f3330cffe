import type { Key } from '../../api/metadata.ts';
import type { Delayed } from './delay-heap.ts';
import type { Lane, LaneItem } from './lane.ts';
import type { LinkedList } from './linked-list.ts';

/** The queue's record of one key, from its first add until the key is neither queued nor running. */
export class WorkItem implements LaneItem<WorkItem>, Delayed {
  readonly key: Key;
  state: 'idle' | 'waiting' | 'running' = 'idle';
  /** True if a running key has to run once more. */
  dirty = false;
  /** The level of the waiting run, or of the next run of a dirty key. */
  level = 0;
  /** The level of the current run. */
  runLevel = 0;
  /** Aborts when the running key is added with a more urgent level. Set only for a pass that can be overtaken. */
  overtaking: AbortController | undefined = undefined;
  /** The level of the delayed run. */
  delayedLevel = 0;
  /** The time at which the key began to wait or to run. */
  sinceMs = 0;
  lane: Lane<WorkItem> | undefined = undefined;

  dueAtMs = 0;
  heapIndex = -1;

  previous: WorkItem | undefined = undefined;
  next: WorkItem | undefined = undefined;
  list: LinkedList<WorkItem> | undefined = undefined;

  constructor(key: Key) {
    this.key = key;
  }

  get delayed(): boolean {
    return this.heapIndex >= 0;
  }
}
