import type { ExpectedRevision, PlannedAction, Unknown } from '../plans/planned-resource.ts';
import type { ChangeLine, Withheld } from './deployment-screen.ts';

/** The look of `plan` at one resource, for which the service was asked once. */
export interface PlanNow {
  readonly namespace: string;
  readonly name: string;
  /** When the service was asked. */
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
  /** Of a plan that waits for approval: what the annotation must say. */
  readonly hash?: string;
}
