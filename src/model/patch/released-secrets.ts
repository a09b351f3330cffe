import { SECRETS_PATH } from '../desired/fields.ts';
import { isShown } from '../effects/effect-of.ts';
import type { Situation } from '../plan/situation.ts';

/**
 * Returns the secrets that the previous write carried, that the spec no longer manages, and that a list lacks although
 * the answer showed them. The list may be older than that write, so the next write may empty them unseen.
 */
export function releasedSecrets({
  written,
  desired,
  observation,
  secretsListed,
}: Situation): readonly string[] {
  if (desired.secrets.kind !== 'unmanaged' || !secretsListed || written?.answer === undefined) return [];
  if (observation.kind !== 'present' || observation.beganMs >= written.dueMs) return [];
  const { answer, body } = written;
  return (body.secrets ?? [])
    .map(({ name }) => `${SECRETS_PATH}.${name}`)
    .filter((path) => isShown(answer, path) === true && isShown(observation.deployment, path) === false);
}
