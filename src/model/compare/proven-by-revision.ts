import type { DeploymentStatus } from '../../api/deployment.ts';
import { FIELDS, mayMakeRevision } from '../desired/fields.ts';
import { isShown } from '../effects/effect-of.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import { observedConfig } from '../recorded/record-facts.ts';
import { CUT } from '../../base/text-for-people.ts';
import { withoutCredentials } from '../../base/url-text.ts';

type PendingWrite = NonNullable<DeploymentStatus['pendingWrite']>;

/** The facts for a verdict on a new revision. */
export interface RevisionFacts {
  readonly observed: ObservedDeployment;
  /** The previous `status.observed`. */
  readonly recorded: DeploymentStatus['observed'];
  /** `status.revisions`. */
  readonly revisions: DeploymentStatus['revisions'];
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
  /** True if the write before may have made the revision: see `mayHaveMadeLater`. */
  readonly mayBeOfEarlier?: boolean | undefined;
  /** `status.lastPatch`. */
  readonly lastPatch?: DeploymentStatus['lastPatch'];
  /** True if the write asked for a branch, and the requested one is shown. */
  readonly showsBranch?: boolean | undefined;
}

/**
 * Returns whether a revision that appeared since an announcement proves the announced write: the write should make a
 * revision, and this one shows no change by another client. Any doubt means no, since an extra revision is better than
 * a lost secret.
 */
export function provenByRevision(pending: PendingWrite, facts: RevisionFacts): boolean {
  const latest = facts.observed.latestRevisionID ?? undefined;
  if (isOfFirstRequest(pending, facts)) return true;
  if (latest === undefined || latest === pending.baseRevisionID || wasSeenBefore(latest, pending, facts))
    return false;
  const paths = pending.paths ?? [];
  if (facts.mayBeOfEarlier === true && pending.accepted !== true) return false;
  return mayMakeRevision(paths) && !isPush(pending, facts) && !carriesOtherChanges(paths, facts);
}

/**
 * True if the service has accepted a write that was sent again, and its newest revision was first seen since the write
 * before: the first request arrived after all, and the same values make no second revision.
 */
function isOfFirstRequest(
  pending: PendingWrite,
  { observed, revisions = [], lastPatch }: RevisionFacts,
): boolean {
  if (pending.accepted !== true || pending.attempt < 2 || lastPatch === undefined) return false;
  const newest = revisions.find(({ id }) => id === observed.latestRevisionID);
  return newest !== undefined && Date.parse(newest.firstSeenTime) > Date.parse(lastPatch.time);
}

/**
 * True if a write was announced within the window of the one before it, whose revision nothing has shown: a service may
 * show it late, and it then looks like that of the announced write. A write that asks for nothing that makes a revision
 * has made one too if the service emptied a field for it that does. A redeploy after an edit of `source_config` counts as
 * proven all the same: most services make no revision for such an edit.
 */
export function mayHaveMadeLater(
  status: DeploymentStatus | undefined,
  windowMs: number,
  observed: ObservedDeployment,
): boolean {
  const { pendingWrite, revisions = [], leftOut = [] } = status ?? {};
  const last = acceptedPatch(status);
  if (pendingWrite === undefined || last === undefined) return false;
  const [wroteMs, announcedMs] = [Date.parse(last.time), Date.parse(pendingWrite.time)];
  if (announcedMs >= wroteMs + windowMs) return false;
  const hasShown = revisions.some(({ cause, firstSeenTime }) => {
    const seenMs = Date.parse(firstSeenTime);
    return cause === 'Operator' && seenMs >= wroteMs && seenMs <= announcedMs;
  });
  const hasEmptied = leftOut.some((path) => surelyMakesRevision(path) && isShown(observed, path) === false);
  const isEdit = pendingWrite.paths.length > 0;
  return (
    !hasShown && (isEdit || last.paths.length === 0 || last.paths.some(surelyMakesRevision) || hasEmptied)
  );
}

/** True for a path outside `source_config`: some services make no revision for a resource spec, others do. */
function surelyMakesRevision(path: string): boolean {
  return !path.startsWith('sourceConfig.');
}

/**
 * True if the revision was seen before the announcement: a lagging list shows older revisions, and so does a list that
 * was read before this process found another process's announcement.
 */
function wasSeenBefore(
  id: string,
  { time }: PendingWrite,
  { revisions = [], foundRevisionID }: RevisionFacts,
): boolean {
  if (id === foundRevisionID) return true;
  return revisions.some((known) => known.id === id && Date.parse(known.firstSeenTime) <= Date.parse(time));
}

/** True if a push made the revision: a push moves the commit. So does a write that moves the deployment to another branch. */
function isPush(pending: PendingWrite, facts: RevisionFacts): boolean {
  const commit = facts.observed.sourceRevisionConfig?.repoCommitSHA ?? undefined;
  return commit !== pending.baseCommitSHA && !isOnNewBranch(pending, facts);
}

/**
 * True if an accepted write has put the requested branch in the place of another one, as no push does. Of a lost one,
 * somebody may have moved the branch by hand. False if the write before may have moved the branch, since a read before the announcement may have been too old to show that; and false after a commit,
 * which may have been that of the same branch.
 */
function isOnNewBranch(
  { accepted }: PendingWrite,
  { observed, recorded, showsBranch, mayBeOfEarlier }: RevisionFacts,
): boolean {
  const before = recorded?.sourceRevisionConfig?.repoRef;
  const now = observedConfig(observed)?.sourceRevisionConfig?.repoRef;
  const isMoved = before !== undefined && !looksLikeCommit(before) && now !== before;
  return accepted === true && showsBranch === true && mayBeOfEarlier !== true && isMoved;
}

/** True if the revision shows, or may hide, a change that the write did not request: somebody edited the deployment. */
export function carriesOtherChanges(
  paths: readonly string[],
  { observed, recorded }: Pick<RevisionFacts, 'observed' | 'recorded'>,
): boolean {
  const before = recorded?.sourceRevisionConfig;
  const now = observedConfig(observed)?.sourceRevisionConfig;
  if (before === undefined || now === undefined) return false;
  const [old, current]: Readonly<Record<string, string>>[] = [before, now];
  return FIELDS.some(({ block, name, path, display }) => {
    if (block !== 'sourceRevisionConfig' || paths.includes(path)) return false;
    // The status of an earlier version contains the full URL; then the raw value shows that nothing changed.
    const raw = observed.sourceRevisionConfig?.fields[name];
    if (typeof raw === 'string' && raw === old?.[name] && !raw.endsWith(CUT)) return false;
    if (display === 'url' && typeof raw === 'string' && withoutCredentials(raw) !== raw) return true;
    return current?.[name] !== old?.[name] || current?.[name]?.endsWith(CUT) === true;
  });
}
