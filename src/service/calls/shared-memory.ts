import type { Clock } from '../../ports/process/clock.ts';
import { AnswerRoom } from '../limits/answer-room.ts';
import type { Shared } from './intake.ts';
import { KeptRoom } from '../limits/kept-room.ts';
import { type MemoryLimits, memoryLimits } from '../limits/memory-limits.ts';
import { WorkTurns } from '../limits/work-turns.ts';

/** The resources that all connections of a process share for their answers: room, time, and memory for kept parts. */
export interface SharedMemory extends Shared {
  /** Room for lists. */
  readonly kept: KeptRoom;
  /** Room for answers to writes, and for reads of single deployments. */
  readonly answers: KeptRoom;
  /** Room for the evidence about writes, until a list shows their effect. */
  readonly evidence: KeptRoom;
  readonly limits: MemoryLimits;
}

/** Makes the shared resources of a process with a heap of this size. */
export function sharedMemory(heapBytes: number, clock: Clock): SharedMemory {
  const limits = memoryLimits(heapBytes);
  return {
    limits,
    room: new AnswerRoom({ clock, answerBytes: limits.answerBytes }),
    turns: new WorkTurns(clock),
    kept: new KeptRoom(limits),
    answers: new KeptRoom({ ...limits, keptBytes: limits.keptBytes / 4 }),
    evidence: new KeptRoom({ ...limits, keptBytes: limits.keptBytes / 2 }),
  };
}
