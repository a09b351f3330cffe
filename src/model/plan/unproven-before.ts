import { writeShownMs } from '../compare/assess.ts';
import { unlisted, unprovenIn } from '../effects/beyond-unshown.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import type { DesiredField } from '../desired/desired-deployment.ts';
import { fieldDigest } from '../recorded/baseline.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { isBlockShown, shownOf } from '../external/shown.ts';
import type { Situation } from './situation.ts';

/** Returns the bodies of the writes before the next one that no look has shown (see `Asked`). */
export function unprovenBefore({
  inherited,
  observation,
  resource,
  settings,
  written,
}: Situation): readonly PatchBody[] {
  if (inherited) {
    const isOpen = observation.kind === 'present' && observation.beganMs < writeShownMs(resource, settings);
    // The status of a write whose answer or list showed it names nothing that it left out.
    return isOpen && (resource.status?.leftOut ?? []).length > 0 ? [{}] : [];
  }
  const newest = unprovenIn(written);
  return newest === undefined ? [] : [newest.body, ...unlisted(newest)];
}

/**
 * Returns the paths of the declared fields that lists hide and whose values the service may already have (see `Asked`):
 * before the first write of ours any field, since a spec that adopts a deployment often declares the values that it has;
 * later those that are sent again, and those declared for the first time if lists do not show their block.
 */
export function mayBeThere({
  desired,
  digests,
  listedPaths,
  observation,
  resource,
}: Situation): readonly string[] {
  if (observation.kind !== 'present') return [];
  const { applied } = resource.status ?? {};
  const before = new Map(applied?.fields.map(({ path, a }) => [path, a]));
  const mayHaveBefore = (one: DesiredField): boolean => {
    const { field, value } = one;
    // A resource spec that lists hide is not sent in part.
    if (field.block === 'resourceSpec' || listedPaths.has(field.path)) return false;
    const isSentAgain = before.get(field.path) === fieldDigest(one, value, digests);
    const isNew = !before.has(field.path) && !isBlockShown(one, observation.deployment);
    return (applied === undefined || isSentAgain || isNew) && isEmpty(shownOf(field, observation.deployment));
  };
  return desired.fields.filter(mayHaveBefore).map(({ field }) => field.path);
}
