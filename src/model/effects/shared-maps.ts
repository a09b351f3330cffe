import type { DesiredField } from '../desired/desired-deployment.ts';
import { FIELDS } from '../desired/fields.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import { isJsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from '../external/observation.ts';

/** The maps that the spec shares with other clients, key by key. */
const MAPS = FIELDS.filter(({ block, shape }) => block === 'resourceSpec' && shape.kind === 'overlay');

/**
 * Returns the paths of the keys of shared maps that a look shows and that the spec does not declare. A later write may
 * send other keys of such a map, and would then hide that these are gone.
 */
export function keysOfOthers(
  { sourceConfig }: ObservedDeployment,
  desired: readonly DesiredField[],
): readonly string[] {
  return MAPS.flatMap(({ path, name }) => {
    const shown = sourceConfig?.resourceSpec?.fields[name];
    if (!isJsonObject(shown)) return [];
    return Object.entries(shown)
      .filter(([, value]) => !isEmpty(value))
      .map(([key]) => `${path}.${key}`)
      .filter((key) => !isOfSpec(key, desired));
  });
}

/** True for a key of a shared map that the spec declares, or whose whole map it empties. */
export function isOfSpec(path: string, desired: readonly DesiredField[]): boolean {
  return desired.some(({ field, value, cleared }) => {
    if (field.shape.kind !== 'overlay' || !path.startsWith(`${field.path}.`)) return false;
    const key = path.slice(field.path.length + 1);
    return cleared || (isJsonObject(value) && Object.hasOwn(value, key));
  });
}

/**
 * Returns paths without the keys of a shared map that they name as a whole: the map says enough. The other keys of such
 * maps come last, since they may be many: a list that is cut names everything else first.
 */
export function withMapKeysLast(paths: readonly string[]): readonly string[] {
  const mapOf = (one: string): string | undefined =>
    MAPS.find(({ path }) => one.startsWith(`${path}.`))?.path;
  const rest = paths.filter((one) => mapOf(one) === undefined);
  return [...rest, ...paths.filter((one) => !rest.includes(one) && !rest.includes(mapOf(one) ?? ''))];
}
