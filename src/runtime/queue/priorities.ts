import type { CallPriority } from '../../ports/service/external-client.ts';

/** Priorities of waiting work, most urgent first; their places here are the levels that the queue counts with. */
export const PRIORITIES: readonly CallPriority[] = ['user', 'rollout', 'resync'];

/** The level of a priority: 0 is the most urgent. */
export function levelOf(priority: CallPriority): number {
  return PRIORITIES.indexOf(priority);
}

/** So many times something less urgent is passed over before it has its turn: it waits, but not for ever. */
export const PATIENCE = 10;

/** The reason with which the waits of a pass end when its key is asked for in more of a hurry. */
export class OvertakenError extends Error {
  constructor() {
    super('something more urgent is to be done for the same resource');
    this.name = 'OvertakenError';
  }
}
