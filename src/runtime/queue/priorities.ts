import type { CallPriority } from '../../ports/service/external-client.ts';

/** Priorities of waiting work, the most urgent first. The index of a priority is its level in the queue. */
export const PRIORITIES: readonly CallPriority[] = ['user', 'rollout', 'resync'];

/** Returns the level of a priority. 0 is the most urgent. */
export function levelOf(priority: CallPriority): number {
  return PRIORITIES.indexOf(priority);
}

/** How often less urgent work is passed over before it has a turn, so that it never waits forever. */
export const PATIENCE = 10;

/** The abort reason for the waits of a pass whose key was added again with a more urgent priority. */
export class OvertakenError extends Error {
  constructor() {
    super('something more urgent is to be done for the same resource');
    this.name = 'OvertakenError';
  }
}
