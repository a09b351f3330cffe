import type { DeploymentStatus } from '../../api/deployment.ts';
import { FIELDS, mayMakeRevision } from '../desired/fields.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { observedConfig } from '../recorded/record-facts.ts';
import { CUT } from '../../base/text-for-people.ts';
import { withoutCredentials } from '../../base/url-text.ts';

type PendingWrite = NonNullable<DeploymentStatus['pendingWrite']>;

/** The facts by which a new revision is judged. */
export interface RevisionFacts {
  readonly observed: ObservedDeployment;
  /** `status.observed` as it was recorded before. */
  readonly recorded: DeploymentStatus['observed'];
  /** `status.revisions`. */
  readonly revisions: DeploymentStatus['revisions'];
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
}

/**
 * Returns whether a revision that appeared since an announcement proves the announced write: the write should make
 * one, and the revision shows no change by another client. An extra revision is better than a lost secret, so any
 * doubt means no.
 */
export function provenByRevision(pending: PendingWrite, facts: RevisionFacts): boolean {
  const latest = facts.observed.latestRevisionID ?? undefined;
  if (latest === undefined || latest === pending.baseRevisionID || wasSeenBefore(latest, pending, facts))
    return false;
  const paths = pending.paths ?? [];
  return mayMakeRevision(paths) && !isPush(pending, facts) && !carriesOtherChanges(paths, facts);
}

/** A list that lags shows revisions from before the announcement; so does one that was read before another's was found. */
function wasSeenBefore(
  id: string,
  { time }: PendingWrite,
  { revisions = [], foundRevisionID }: RevisionFacts,
): boolean {
  if (id === foundRevisionID) return true;
  return revisions.some((known) => known.id === id && Date.parse(known.firstSeenTime) <= Date.parse(time));
}

/** A push makes revisions too, and it moves the commit. */
function isPush(pending: PendingWrite, { observed }: RevisionFacts): boolean {
  return (observed.sourceRevisionConfig?.repoCommitSHA ?? undefined) !== pending.baseCommitSHA;
}

/** True if the revision shows, or may hide, a change for which the write did not ask: somebody edited it. */
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
    // A status of an earlier version holds the URL in full, which then shows that nothing changed.
    const raw = observed.sourceRevisionConfig?.fields[name];
    if (typeof raw === 'string' && raw === old?.[name] && !raw.endsWith(CUT)) return false;
    if (display === 'url' && typeof raw === 'string' && withoutCredentials(raw) !== raw) return true;
    return current?.[name] !== old?.[name] || current?.[name]?.endsWith(CUT) === true;
  });
}
