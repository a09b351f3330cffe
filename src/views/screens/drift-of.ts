import type { DeploymentResource } from '../../api/deployment.ts';
import { SECRETS_PATH } from '../../model/desired/fields.ts';
import type { ChangeLine } from './deployment-screen.ts';

/** Reasons that mean that every difference was a change at the service. */
const DRIFT_REASONS: ReadonlySet<string> = new Set(['DriftReported', 'DriftCorrectionSuspended']);

/**
 * Returns the differences in a status, and for each whether it is drift: this generation's value was applied before,
 * and the service now shows another one. The status does not say this itself. For secrets, which can change without the
 * spec, it remains unknown.
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

/** True if something of a resource was changed at the service. */
export function drifts(resource: DeploymentResource): boolean {
  return resource.status?.plan !== undefined && changesIn(resource).some(({ drift }) => drift);
}
