import { defined } from '../../base/defined.ts';
import type { SyncedReason } from '../../api/condition.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import type { Budget } from './budget.ts';
import type { Cause, Change } from '../compare/change.ts';
import type { CreateBody, PatchBody } from '../external/patch-body.ts';

/** A part that must not go while the rest may. */
export interface Withheld {
  readonly path: string;
  readonly reason: SyncedReason;
  readonly message: string;
}

/** The announcement of a write, stored before it is sent (docs/semantics.md, one write, crash-safe). */
export interface Announcement {
  /** The part of the digest for the values that it asks for. */
  readonly bodyPart: string;
  readonly paths: readonly string[];
  /** The newest revision of the look that the write rests on. */
  readonly latestRevisionID?: string;
  /** The newest revision that is known to be there before the write, which the write did not make. */
  readonly baseRevisionID?: string;
  readonly baseCommitSHA?: string;
  /** The pins of the deployment that is written to. */
  readonly binding: NonNullable<DeploymentStatus['binding']>;
  /** The revision shown before the write, which distinguishes the write's revision from another client's. */
  readonly observed?: DeploymentStatus['observed'];
  /**
   * The history, which holds the revision before the write: a list that lags shows that revision again, and it is not
   * new.
   */
  readonly revisions: NonNullable<DeploymentStatus['revisions']>;
  /** Values that a list shows and this write leaves out, or puts back: a crash must not hide that they are gone. */
  readonly leftOut: readonly string[];
  /** The budget with this write counted. */
  readonly budget: Budget;
  /** The applied state, where only the announcement that this one replaces proved it. */
  readonly applied?: DeploymentStatus['applied'];
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
      /** Paths that somebody else changed and that stay so (spec.driftPolicy). */
      readonly reported: readonly string[];
      /** Names of secrets without known values that this write loses, or the one before it lost. */
      readonly unsaved: readonly string[];
      /** Values that the write before it lost and this one puts back. */
      readonly losses: readonly string[];
      readonly announcement: Announcement;
    }
  /** The write is not due yet, and there is nothing to report: more changes may follow within a moment. */
  | {
      readonly kind: 'postponed';
      readonly againInMs: number;
      readonly rotation: boolean;
      /** The text of the key of the resource that is about to bind or to make the same deployment. */
      readonly claimedBy?: string | undefined;
    }
  | { readonly kind: 'create'; readonly body: CreateBody }
  | {
      readonly kind: 'delete';
      readonly id: string;
      /** The finding to report where requests before this one changed nothing. */
      readonly inVain?: string;
    }
  /** The resource is being deleted, and nothing has to be done at the service any more. */
  | { readonly kind: 'release'; readonly message: string }
  | {
      readonly kind: 'wait';
      readonly reason: SyncedReason;
      readonly message: string;
      /** The time until the next look; absent: when something changes. */
      readonly againInMs?: number;
      readonly changes?: readonly Change[];
      /** The proposal that a person approves by its hash. */
      readonly hash?: string;
    }
  | {
      readonly kind: 'blocked';
      readonly reason: SyncedReason;
      readonly message: string;
      /** The time until it ends by itself; absent: only when somebody changes something. */
      readonly againInMs?: number;
      /** The change that is held back. */
      readonly changes?: readonly Change[];
    }
  /** Paused or suspended: nothing moves, deletion included. */
  | { readonly kind: 'held'; readonly message: string };

/** A plan to wait: for so long, or until something changes. */
export function waiting(
  reason: Extract<Plan, { kind: 'wait' }>['reason'],
  message: string,
  againInMs?: number,
): Plan {
  return { kind: 'wait', reason, message, ...defined({ againInMs }) };
}
