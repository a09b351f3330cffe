import { DEFAULTS } from '../../src/model/connection/connection.ts';
import type { LoggedRequest } from '../../src/simulator/api/request-log.ts';
import { type Fleet, lastRequest, type Member } from './fleet.ts';
import { until } from './until.ts';

/** On top of twice the bound, for a machine that others use too. */
const SLACK_MS = 120_000;

/** The result of edits made at once: their start, and every call until the last PATCH. */
export interface Bulk {
  readonly beganMs: number;
  readonly calls: readonly LoggedRequest[];
}

/** Edits members at once, and waits until each deployment has had a PATCH. */
export async function editAtOnce(fleet: Fleet, members: readonly Member[], tag: string): Promise<Bulk> {
  const from = await lastRequest(fleet);
  const beganMs = Date.now();
  await fleet.editAll(members, tag);
  return { beganMs, calls: await callsUntilPatched(fleet, from, members.length) };
}

/** Every call after the one numbered `from`, once so many deployments have had a PATCH. */
export async function callsUntilPatched(
  fleet: Fleet,
  from: number,
  count: number,
): Promise<readonly LoggedRequest[]> {
  let calls: readonly LoggedRequest[] = [];
  await until(
    `${count} deployments are patched`,
    async () => {
      calls = await fleet.service.requests(from);
      return patchedIn(calls).size >= count;
    },
    2 * boundMs(count) + SLACK_MS,
    500,
  );
  return calls;
}

/** The deployments that had a PATCH, by id. */
export function patchedIn(calls: readonly LoggedRequest[]): ReadonlySet<string> {
  return new Set(calls.filter(isPatch).map(({ id }) => id));
}

export function isPatch({ operation }: LoggedRequest): boolean {
  return operation === 'patch';
}

/** Returns the time at which the last PATCH arrived, by the clock of the machine. */
export function lastPatchMs(calls: readonly LoggedRequest[]): number {
  return Math.max(...calls.filter(isPatch).map(({ beganMs }) => beganMs));
}

/** The time that so many calls take at the default rate, in milliseconds. */
export function boundMs(count: number): number {
  return Math.max(1, ((count - DEFAULTS.burst) / DEFAULTS.requestsPerSecond) * 1_000);
}
