import type { DeploymentResource } from '../../api/deployment.ts';
import { SECRETS_PATH } from '../../model/desired/fields.ts';
import type { ChangeLine } from './deployment-screen.ts';

/** Reasons under which everything that differs was changed at the service. */
const DRIFT_REASONS: ReadonlySet<string> = new Set(['DriftReported', 'DriftCorrectionSuspended']);

/**
 * The differences in a status, each with whether it is drift: what this generation asks for was applied before, and the
 * service shows something else now. The status does not say it by itself; of secrets, which change without the spec, it
 * stays open.
 */
export function changesIn({ status, metadata }: DeploymentResource): readonly ChangeLine[] {
  const synced = status?.conditions?.find(({ type }) => type === 'Synced');
  const wasApplied = status?.applied !== undefined && status.applied.generation === metadata.generation;
  const isLooked = status?.observedGeneration === metadata.generation;
  const reported = DRIFT_REASONS.has(synced?.reason ?? '');
  return (status?.plan?.changes ?? []).map(({ path, from = '', to = '', revision }) => ({
    ...{ path, from, to, revision },
    drift: reported || (wasApplied && isLooked && path !== SECRETS_PATH),
  }));
}

/** True for a resource of which something was changed at the service. */
export function drifts(resource: DeploymentResource): boolean {
  return resource.status?.plan !== undefined && changesIn(resource).some(({ drift }) => drift);
}
