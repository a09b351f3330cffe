import { getHeapStatistics } from 'node:v8';

/**
 * Returns the largest heap that Node.js permits this process, in bytes: in a container about half of its memory
 * limit.
 */
export function heapLimitBytes(): number {
  return getHeapStatistics().heap_size_limit;
}
