import type { DeploymentResource } from '../../api/deployment.ts';
import type { DesiredDeployment } from '../desired/desired-deployment.ts';
import type { Written } from '../effects/effect-of.ts';
import { creationIn, withTheirs } from '../effects/with-theirs.ts';
import { newestKnown } from '../external/newest-known.ts';
import type { Observation } from '../external/observation.ts';
import { withDeclaredSource } from './binding.ts';

/** The facts about a deployment from before a look at it. */
export interface BeforeLook {
  readonly resource: DeploymentResource;
  readonly desired: DesiredDeployment;
  /** Our newest write to the deployment, until a list that counts has shown it. */
  readonly written: Written | undefined;
  /** True if this process never wrote to the deployment. */
  readonly inherited: boolean;
}

/**
 * Returns a look as it counts for a resource: the newest version that it shows, with the declared source if it shows
 * none, and with the values of others that an answer cannot know.
 */
export function countedLook(look: Observation, before: BeforeLook): Observation {
  const { resource, desired, written, inherited } = before;
  const newest = newestKnown(resource, look);
  if (newest.kind !== 'present') return newest;
  const shown = { ...newest, deployment: withDeclaredSource(resource, newest.deployment) };
  // The first answer about a deployment to which this process never wrote is that to its creation.
  const own = written ?? (inherited ? creationIn(shown) : undefined);
  // A value that an edit declares for the first time is not ours yet.
  const applied = new Set(resource.status?.applied?.fields.map(({ path }) => path));
  return withTheirs(
    shown,
    own,
    desired.fields.filter(({ field }) => applied.has(field.path)),
  );
}
