import type { DeploymentResource } from '../api/deployment.ts';
import { steadyMs, windowMs } from './assess.ts';
import type { ConnectionSettings } from './connection.ts';
import { mayMakeRevision } from './fields.ts';
import { supersededRevision } from './known-revision.ts';
import type { ObservedDeployment } from './observation.ts';
import { carriesOtherChanges } from './revision-proof.ts';

/**
 * True where a revision that nobody saw before is the late one of our newest write: that was to make one and has none
 * yet, the first steady read after the window shows it at the latest, and it carries nothing that somebody else changed,
 * neither another commit nor another field.
 */
export function isLateRevisionOfOurs(
  { status }: DeploymentResource,
  observed: ObservedDeployment,
  { settings, nowMs }: { readonly settings: ConnectionSettings; readonly nowMs: number },
): boolean {
  const { lastPatch, latestRevisionID, revisions, observed: recorded } = status ?? {};
  if (lastPatch === undefined || !['Applied', 'Verified'].includes(lastPatch.outcome)) return false;
  const { paths, time } = lastPatch;
  const wroteMs = Date.parse(time);
  const newest = revisions?.[0];
  const hasOne = newest?.cause === 'Operator' && Date.parse(newest.firstSeenTime) >= wroteMs;
  const commit = observed.sourceRevisionConfig?.repoCommitSHA ?? undefined;
  return (
    latestRevisionID !== (observed.latestRevisionID ?? undefined) &&
    supersededRevision({ status }, observed) === undefined &&
    mayMakeRevision(paths) &&
    !hasOne &&
    nowMs - wroteMs <= windowMs(settings) + steadyMs(settings) &&
    commit === recorded?.sourceRevisionConfig?.repoCommitSHA &&
    !carriesOtherChanges(paths, { observed, recorded })
  );
}
