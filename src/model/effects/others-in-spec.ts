import type { DesiredField } from '../desired/desired-deployment.ts';
import { isEmpty } from '../desired/canonical-text.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { WHOLE_SPEC } from './effect-of.ts';

/**
 * True if a look shows a text, list or object in the resource spec that is not declared: numbers and flags may be the
 * service's defaults.
 */
export function hasOthersInSpec(
  { sourceConfig }: ObservedDeployment,
  declared: readonly DesiredField[],
): boolean {
  const { fields = {}, unknown = {} } = sourceConfig?.resourceSpec ?? {};
  const paths = new Set(declared.map(({ field }) => field.path));
  return Object.entries({ ...fields, ...unknown }).some(
    ([key, value]) =>
      !isEmpty(value) &&
      (typeof value === 'string' || typeof value === 'object') &&
      !paths.has(`${WHOLE_SPEC}.${key}`),
  );
}
