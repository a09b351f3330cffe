import { getHeapStatistics } from 'node:v8';

/** How large Node.js lets the heap of this process become, in bytes: in a container about half of its memory limit. */
export function heapLimitBytes(): number {
  return getHeapStatistics().heap_size_limit;
}
