import { MOST_PARTS_OF_PAGE } from './answer-json.ts';

const MIB = 1024 * 1024;

/** Limits for answers of services that the process holds at once, in bytes. */
export interface MemoryLimits {
  /** The size of the longest answer, as text. */
  readonly answerBytes: number;
  /** The largest number of members and items of an answer, at any depth. */
  readonly answerParts: number;
  /** The estimated memory of the snapshots behind the connections of one namespace. */
  readonly keptBytes: number;
  /** The greatest size of the text that one sweep reads of a list. */
  readonly sweptBytes: number;
}

const [LEAST_ANSWER, MOST_ANSWER] = [4 * MIB, 32 * MIB];

/**
 * Returns limits in proportion to the size of the heap. Half of the heap has room for the data that one namespace
 * keeps, and for their replacement if all of them change. The other half is for answers under way, resources and
 * everything else.
 */
export function memoryLimits(heapBytes: number): MemoryLimits {
  return {
    answerBytes: Math.min(MOST_ANSWER, Math.max(LEAST_ANSWER, Math.floor(heapBytes / 32))),
    answerParts: Math.min(MOST_PARTS_OF_PAGE, Math.floor(heapBytes / 3072)),
    keptBytes: Math.floor(heapBytes / 5),
    sweptBytes: 2 * heapBytes,
  };
}
