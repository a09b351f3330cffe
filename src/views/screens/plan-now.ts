import { defined } from '../../base/defined.ts';
import type { ExpectedRevision, PlannedAction, PlannedResource, Unknown } from '../plans/planned-resource.ts';
import type { ChangeLine, Withheld } from './deployment-screen.ts';

/** The plan of one resource after one read of the service. */
export interface PlanNow {
  readonly namespace: string;
  readonly name: string;
  /** The time at which the service was read. */
  readonly askedTime: string;
  readonly action: PlannedAction;
  readonly sends: boolean;
  readonly reason?: string;
  readonly message: string;
  readonly changes: readonly ChangeLine[];
  readonly revision?: ExpectedRevision;
  readonly withheld: readonly Withheld[];
  /** Facts that cannot be known before it is sent. */
  readonly unknown: readonly Unknown[];
  /** The text for the annotation; only for a plan that waits for approval. */
  readonly hash?: string;
}

/** Returns a planned resource for the page; `nowMs` is the time of the read. */
export function planNowOf(planned: PlannedResource, nowMs: number): PlanNow {
  const { namespace, name, action, sends, message, changes, withheld, unknown } = planned;
  return {
    ...{ namespace, name, action, sends, message, unknown },
    askedTime: new Date(nowMs).toISOString(),
    ...defined({ reason: planned.reason, revision: planned.revision, hash: planned.approval }),
    changes: changes.map(({ path, from, to, revision, drift }) => ({
      path,
      from,
      to,
      revision,
      drift: drift === true,
    })),
    withheld: withheld.map(({ path, message: why }) => ({ path, why })),
  };
}
