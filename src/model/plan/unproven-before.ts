import { writeShownMs } from '../compare/assess.ts';
import { unlisted, unprovenIn } from '../effects/beyond-unshown.ts';
import type { PatchBody } from '../external/patch-body.ts';
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
