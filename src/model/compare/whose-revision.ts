import type { DeploymentResource } from '../../api/deployment.ts';
import { acceptedPatch } from '../recorded/accepted-patch.ts';
import { type Assessment, steadyMs, windowMs } from './assess.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { mayMakeRevision } from '../desired/fields.ts';
import { supersededRevision } from '../external/newest-known.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { isPushBeside } from '../external/shown.ts';
import { carriesOtherChanges } from './proven-by-revision.ts';

/** A look at a deployment, and the result of its comparison. */
export interface Looked {
  readonly resource: DeploymentResource;
  readonly observed: ObservedDeployment;
  readonly assessment: Pick<Assessment, 'evidence' | 'judgements'>;
  readonly settings: ConnectionSettings;
  readonly nowMs: number;
}

/**
 * True if a look shows that our newest write made the newest revision: the look proves the write, or the revision
 * appeared late.
 */
export function isNewestOurs({ resource, observed, assessment, settings, nowMs }: Looked): boolean {
  const { evidence, judgements } = assessment;
  const pending = resource.status?.pendingWrite;
  const isMade = evidence.kind === 'proven' && pending?.baseRevisionID !== observed.latestRevisionID;
  if (isMade && !isPushBeside(pending?.baseCommitSHA, observed, pending?.paths ?? [])) return true;
  const drifted = judgements.some(({ verdict }) => verdict === 'drift');
  return !drifted && isLateRevisionOfOurs(resource, observed, { settings, nowMs });
}

/**
 * True if a new revision is the late revision of our newest write. That write should make a revision and has none yet;
 * the first regular read after the window shows the revision at the latest; and the revision contains no change by
 * another client, neither another commit nor another field.
 */
function isLateRevisionOfOurs(
  { status }: DeploymentResource,
  observed: ObservedDeployment,
  { settings, nowMs }: { readonly settings: ConnectionSettings; readonly nowMs: number },
): boolean {
  const { latestRevisionID, revisions, observed: recorded } = status ?? {};
  const last = acceptedPatch(status);
  if (last === undefined || !['Applied', 'Verified'].includes(last.outcome)) return false;
  const { paths, time } = last;
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
