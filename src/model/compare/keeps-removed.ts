import { isJsonObject, type Json } from '../../base/json.ts';
import type { DesiredField } from '../desired/desired-deployment.ts';
import type { Shown } from '../external/observation.ts';

/**
 * True if a list of named elements still has all that it had before our write and that the spec removed: the service
 * merges such lists (N7), so this is no form of the requested list.
 */
export function keepsRemoved({ field, value }: DesiredField, before: Shown, shown: Shown): boolean {
  if (field.shape.kind !== 'set') return false;
  const { key } = field.shape;
  const [was, asked] = [before, value].map((list) => namesIn(list, key));
  const removed = [...(was ?? [])].filter((name) => asked?.has(name) !== true);
  const kept = namesIn(shown, key);
  return removed.length > 0 && removed.every((name) => kept.has(name));
}

function namesIn(list: Shown, key: string): ReadonlySet<Json | undefined> {
  const elements = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return new Set(elements.map((element) => element[key]));
}
