import { writeShownMs } from '../compare/assess.ts';
import { unlisted, unprovenIn } from '../effects/beyond-unshown.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { type Field, FIELDS } from '../desired/fields.ts';
import type { PatchBody } from '../external/patch-body.ts';
import { shownOf } from '../external/shown.ts';
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
 * Returns the paths of the fields that lists hide, before the first write of ours (see `Asked`): a spec that adopts a
 * deployment often declares the values that it has.
 */
export function mayBeThere({ listedPaths, observation, resource }: Situation): readonly string[] {
  if (observation.kind !== 'present' || resource.status?.applied !== undefined) return [];
  // A resource spec that lists hide is not sent in part.
  const isHidden = (field: Field): boolean =>
    field.block !== 'resourceSpec' &&
    !listedPaths.has(field.path) &&
    isEmpty(shownOf(field, observation.deployment));
  return FIELDS.filter(isHidden).map(({ path }) => path);
}
