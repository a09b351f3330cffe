import { defined } from '../../base/defined.ts';
import type { SyncedReason } from '../../api/condition.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import type { Budget } from './budget.ts';
import type { Cause, Change } from '../compare/change.ts';
import type { CreateBody, PatchBody } from '../external/patch-body.ts';

/** A part that must not be sent although the rest may be. */
export interface Withheld {
  readonly path: string;
  readonly reason: SyncedReason;
  readonly message: string;
}

/** The announcement of a write, stored before it is sent (docs/semantics.md, one write, crash-safe). */
export interface Announcement {
  /** The part of the digest for the requested values. */
  readonly bodyPart: string;
  readonly paths: readonly string[];
  /** The newest revision in the look behind the write. */
  readonly latestRevisionID?: string;
  /** The newest revision that is known to exist before the write, so that the write did not make it. */
  readonly baseRevisionID?: string;
  readonly baseCommitSHA?: string;
  /** The pins of the target deployment. */
  readonly binding: NonNullable<DeploymentStatus['binding']>;
  /** The revision shown before the write, which distinguishes the write's revision from another client's. */
  readonly observed?: DeploymentStatus['observed'];
  /**
   * The history, including the revision before the write. A lagging list may show that revision again, and it is not
   * new.
   */
  readonly revisions: NonNullable<DeploymentStatus['revisions']>;
  /** The values that a list shows and this write leaves out or restores: a crash must not hide their loss. */
  readonly leftOut: readonly string[];
  /** The budget with this write counted. */
  readonly budget: Budget;
  /** The applied state, if only the announcement that this one replaces proved it. */
  readonly applied?: DeploymentStatus['applied'];
  /** The record of the previous write, if the look behind this one proved it: its window goes on. */
  readonly lastPatch?: DeploymentStatus['lastPatch'];
}

/** The decision of a pass. */
export type Plan =
  /** The service shows the spec, or its differences must stay for the given reason. */
  | {
      readonly kind: 'nothing';
      readonly reason: SyncedReason;
      readonly message: string;
      readonly changes: readonly Change[];
      readonly withheld: readonly Withheld[];
      /** The paths that no request of this pass could carry; absent if nothing differs. */
      readonly unsendable?: readonly string[];
      /** The time until the next look, if something can only be judged later. */
      readonly againInMs?: number;
    }
  | {
      readonly kind: 'patch';
      readonly id: string;
      readonly body: PatchBody;
      readonly cause: Cause;
      readonly changes: readonly Change[];
      readonly withheld: readonly Withheld[];
      /** The paths that somebody else changed and that stay changed (spec.driftPolicy). */
      readonly reported: readonly string[];
      /** The names of secrets with unknown values that this write loses or the previous one lost. */
      readonly unsaved: readonly string[];
      /** The values that the previous write lost and this one restores. */
      readonly losses: readonly string[];
      readonly announcement: Announcement;
    }
  /** The write is not due yet, and there is nothing to report: more changes may follow shortly. */
  | {
      readonly kind: 'postponed';
      readonly againInMs: number;
      readonly rotation: boolean;
      /** The text of the key of the resource that is about to bind or create the same deployment. */
      readonly claimedBy?: string | undefined;
    }
  | {
      readonly kind: 'create';
      readonly body: CreateBody;
      /** The tenant that the list shows, if it shows a single one. */
      readonly tenantID?: string;
    }
  | {
      readonly kind: 'delete';
      readonly id: string;
      /** The message to report if earlier requests had no effect. */
      readonly inVain?: string;
    }
  /** The resource is being deleted, and nothing has to be done at the service any more. */
  | { readonly kind: 'release'; readonly message: string }
  | {
      readonly kind: 'wait';
      readonly reason: SyncedReason;
      readonly message: string;
      /** The time until the next look; if absent, the next look is when something changes. */
      readonly againInMs?: number;
      readonly changes?: readonly Change[];
      /** The proposal that a person approves by its hash. */
      readonly hash?: string;
    }
  | {
      readonly kind: 'blocked';
      readonly reason: SyncedReason;
      readonly message: string;
      /** The time until the block ends by itself; if absent, it ends only when somebody changes something. */
      readonly againInMs?: number;
      /** The change that is held back. */
      readonly changes?: readonly Change[];
    }
  /** Paused or suspended: nothing is done, not even a deletion. */
  | { readonly kind: 'held'; readonly message: string };

/** Returns a plan to wait for a time, or until something changes. */
export function waiting(
  reason: Extract<Plan, { kind: 'wait' }>['reason'],
  message: string,
  againInMs?: number,
): Plan {
  return { kind: 'wait', reason, message, ...defined({ againInMs }) };
}
