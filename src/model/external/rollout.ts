import type { RolloutReason } from '../../api/condition.ts';
import type { ObservedDeployment } from './observation.ts';

/** The progress of the newest revision, from documented data only: latest and active ids and `status` (section 3). */
export interface Rollout {
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: RolloutReason;
  readonly message: string;
  /** True while faster polling is useful: a revision is rolling out and not overdue. */
  readonly rolling: boolean;
  /** True if only a person can help. */
  readonly stalled: boolean;
}

/** True if the service is about to delete the deployment; then all writes are held (H42). */
export function isBeingDeleted(observed: ObservedDeployment): boolean {
  return observed.serviceStatus?.toUpperCase().includes('DELET') ?? false;
}

/** Judges a rollout; `startedMs` is the time when its revision was first seen and not yet active. */
export function judgeRollout(
  observed: ObservedDeployment,
  times: { readonly startedMs: number | undefined; readonly nowMs: number; readonly deadlineMs: number },
): Rollout {
  const { latestRevisionID: latest, activeRevisionID: active, serviceStatus: status } = observed;
  if (status === 'AWAITING_DATABASE') {
    return rolling('AwaitingDatabase', 'the service is preparing the database');
  }
  if ((latest ?? null) === null && (active ?? null) === null) {
    return unknown('NoRevision', 'the service shows no revision');
  }
  if (latest !== active) return inProgress(observed, times);
  if (status === undefined) {
    return is('True', 'ActiveStatusNotShown', `revision ${active} is active; the service shows no status`);
  }
  if (status === 'READY') return is('True', 'Active', `revision ${active} is active`);
  if (status === 'UNUSED') return unknown('Unused', 'the service marks the deployment as unused');
  return unknown('UnknownState', `the service shows state ${status.slice(0, 64)}`);
}

function inProgress(
  observed: ObservedDeployment,
  times: { readonly startedMs: number | undefined; readonly nowMs: number; readonly deadlineMs: number },
): Rollout {
  const serving = observed.activeRevisionID ?? null;
  const still = serving === null ? 'no revision is active yet' : `${serving} still serves`;
  const what = `revision ${observed.latestRevisionID} is not active; ${still}`;
  if (times.startedMs !== undefined && times.nowMs - times.startedMs >= times.deadlineMs) {
    return { ...is('False', 'DeadlineExceeded', `${what}; the deadline has passed`), stalled: true };
  }
  return rolling('RolloutInProgress', what);
}

function is(ready: Rollout['ready'], reason: RolloutReason, message: string): Rollout {
  return { ready, reason, message, rolling: false, stalled: false };
}

function rolling(reason: RolloutReason, message: string): Rollout {
  return { ready: 'False', reason, message, rolling: true, stalled: false };
}

function unknown(reason: RolloutReason, message: string): Rollout {
  return is('Unknown', reason, message);
}
