import type { DeploymentResource } from '../api/deployment.ts';
import { windowMs } from './assess.ts';
import type { ConnectionSettings } from './connection.ts';
import { FIELDS, makesRevision } from './fields.ts';
import type { ObservedDeployment } from './observation.ts';
import { carriesOtherChanges } from './revision-proof.ts';

/** Paths of the fields that need no revision (section 3). */
const NEED_NONE: ReadonlySet<string> = new Set(
  FIELDS.filter((field) => !makesRevision(field)).map(({ path }) => path),
);

/**
 * True where a revision that nobody saw before is the late one of our newest write: that was to make one and has none yet,
 * the first steady read after the window shows it at the latest, and it
 * carries nothing that somebody else changed: no other commit, no other field.
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
    (paths.length === 0 || paths.some((path) => !NEED_NONE.has(path))) &&
    !hasOne &&
    nowMs - wroteMs <= windowMs(settings) + 1.5 * settings.poll.intervalMs &&
    commit === recorded?.sourceRevisionConfig?.repoCommitSHA &&
    !carriesOtherChanges(paths, { observed, recorded })
  );
}
