import { type DeploymentResource, reportsDrift } from '../../api/deployment.ts';
import type { Judgement } from '../compare/judge-fields.ts';
import type { Written } from '../effects/effect-of.ts';
import { alike, isEmpty } from '../desired/canonical-text.ts';
import type { Observation } from '../external/observation.ts';
import { shownFor } from '../external/shown.ts';

/** The facts about our last write, and about the look that shows its losses. */
export interface LossFacts {
  readonly resource: DeploymentResource;
  readonly observation: Observation;
  /** See `Situation`. */
  readonly written?: Written | undefined;
}

/**
 * Under `Report`, true for a field that somebody else had changed or removed before our last write, which did not carry it
 * as declared, and that is shown as it was then: that write did not change it, whatever else it emptied.
 */
export function differedBefore(
  { desired, verdict }: Judgement,
  { resource, observation, written }: LossFacts,
): boolean {
  if (!reportsDrift(resource) || verdict !== 'drift' || observation.kind !== 'present') return false;
  if (written?.reported?.includes(desired.field.path) !== true) return false;
  return alike(shownFor(desired, observation.deployment), shownFor(desired, written.before));
}

/** Under `Report`, true for a field that our last write found with a value of somebody else, and did not ask for. */
export function wasReportedBefore({ desired }: Judgement, { resource, written }: LossFacts): boolean {
  if (!reportsDrift(resource) || written?.reported?.includes(desired.field.path) !== true) return false;
  const found = shownFor(desired, written.before);
  return !isEmpty(found) && !alike(found, desired.value);
}
