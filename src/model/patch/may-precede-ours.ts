import { alike, isEmpty } from '../desired/canonical-text.ts';
import { newestOf } from '../effects/beyond-unshown.ts';
import { OBJECTS } from '../effects/with-theirs.ts';
import { askedOf } from '../effects/untouched.ts';
import type { Present } from '../plan/situation.ts';

/**
 * True while the look may be from before our last write, and lacks a value of others that this write carried, or shows the
 * value as it was before. A repair may have put it back. Once a list shows the write, or its answer shows the value,
 * somebody else has removed it.
 */
export function mayPrecedeOurs(
  { written, observed, observation }: Pick<Present, 'written' | 'observed' | 'observation'>,
  managed: ReadonlySet<string>,
): boolean {
  const newest = newestOf(written);
  if (newest === undefined || observation.beganMs >= newest.dueMs) return false;
  const told = askedOf(newest, newest.answer ?? newest.before);
  return askedOf(newest, observed).some(([asked = {}, was, is], at) =>
    Object.entries(asked).some(([key, value]) => {
      if (newest.answer !== undefined && alike(told[at]?.[2]?.[key], value)) return false;
      if (isEmpty(value) || managed.has(`${OBJECTS[at] ?? ''}.${key}`) || alike(is?.[key], value))
        return false;
      return isEmpty(is?.[key]) || alike(is?.[key], was?.[key]);
    }),
  );
}
