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
  const isOpen = observation.kind === 'present' && observation.beganMs < writeShownMs(resource, settings);
  if (inherited) return isOpen ? [{}] : [];
  const newest = unprovenIn(written);
  return newest === undefined ? [] : [newest.body, ...unlisted(newest)];
}
