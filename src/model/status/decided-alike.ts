import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';
import { stableText } from '../desired/canonical.ts';

/**
 * True where a decision made on `before` would be made on `now` too: only metadata of others moved. A status that
 * another process wrote counts, because two processes must not both announce.
 */
export function decidedAlike(before: DeploymentResource, now: DeploymentResource): boolean {
  return (
    before.metadata.generation === now.metadata.generation &&
    before.metadata.deletionTimestamp === now.metadata.deletionTimestamp &&
    statusText(before) === statusText(now) &&
    Object.values(ANNOTATIONS).every(
      (name) => before.metadata.annotations?.[name] === now.metadata.annotations?.[name],
    )
  );
}

function statusText({ status }: DeploymentResource): string {
  return stableText(status ?? null);
}
