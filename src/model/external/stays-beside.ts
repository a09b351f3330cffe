import { isEmpty } from '../desired/canonical-text.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { ObservedDeployment } from './observation.ts';

/** True if a look shows a text in the block of a path, at one of the other paths. */
export function staysBeside(path: string, others: readonly string[], look: ObservedDeployment): boolean {
  const [block] = path.split('.');
  if (block !== 'sourceConfig' && block !== 'sourceRevisionConfig') return false;
  return others.some((other) => {
    const [otherBlock, key = '', part] = other.split('.');
    const fields = part === undefined ? look[block]?.fields : specOf(look);
    return other !== path && otherBlock === block && isText(fields?.[part ?? key]);
  });
}

/**
 * Returns the keys of a resource spec that are missing from a read while a text of the spec stays, even if edited
 * since. Returns none if no text stays: a service that empties the whole block keeps no text and fills none in.
 */
export function goneFromSpec(before: ObservedDeployment, look: ObservedDeployment): readonly string[] {
  const [was, is] = [before, look].map(specOf);
  const hasText = Object.entries(was ?? {}).some(([key, value]) => isText(value) && isText(is?.[key]));
  return hasText ? keysGoneFromSpec(before, look) : [];
}

/** Returns the paths of the keys of a resource spec that are missing from a read. */
export function keysGoneFromSpec(before: ObservedDeployment, look: ObservedDeployment): readonly string[] {
  const [was, is] = [before, look].map(specOf);
  const gone = Object.entries(was ?? {}).filter(([key, value]) => !isEmpty(value) && isEmpty(is?.[key]));
  return gone.map(([key]) => `sourceConfig.resourceSpec.${key}`);
}

function specOf({ sourceConfig }: ObservedDeployment): JsonObject {
  const { fields = {}, unknown = {} } = sourceConfig?.resourceSpec ?? {};
  return { ...fields, ...unknown };
}

/** True for a text that is not empty. */
export function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}
