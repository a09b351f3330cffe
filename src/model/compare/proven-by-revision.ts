import type { DeploymentStatus } from '../../api/deployment.ts';
import { FIELDS, mayMakeRevision } from '../desired/fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';
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
}

/**
 * Returns whether a revision that appeared since an announcement proves the announced write: the write should make a
 * revision, and this one shows no change by another client. Any doubt means no, since an extra revision is better than
 * a lost secret.
 */
export function provenByRevision(pending: PendingWrite, facts: RevisionFacts): boolean {
  const latest = facts.observed.latestRevisionID ?? undefined;
  if (latest === undefined || latest === pending.baseRevisionID || wasSeenBefore(latest, pending, facts))
    return false;
  const paths = pending.paths ?? [];
  return mayMakeRevision(paths) && !isPush(pending, facts) && !carriesOtherChanges(paths, facts);
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

/** True if a push made the revision: a push moves the commit. */
function isPush(pending: PendingWrite, { observed }: RevisionFacts): boolean {
  return (observed.sourceRevisionConfig?.repoCommitSHA ?? undefined) !== pending.baseCommitSHA;
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
