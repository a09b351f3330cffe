import type { CacheChange } from './object-cache.ts';
import { compareResourceVersions } from '../objects/compare-resource-versions.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';

/** The version of a complete list, and how far the watch before it had come. */
export interface ListedAt {
  /** The version of the list. */
  readonly version: string;
  /** The version up to which the watch before had reported all changes; absent for the first list. */
  readonly position: string | undefined;
}

/**
 * Counts the changes in a list that the watch before it should have reported. It counts only proven ones: an object
 * at a version that the watch had passed, and, for a list at exactly the version of the watch, an object that is
 * gone. A list older than the watch is another history, such as a restored backup, and proves nothing.
 */
export function countMissed(
  changes: readonly CacheChange<KubernetesObject>[],
  { version, position }: ListedAt,
): number {
  if (position === undefined) return 0;
  const ahead = compareResourceVersions(version, position);
  if (ahead === undefined || ahead < 0) return 0;
  return changes.filter(({ before, after }) => {
    if (after === undefined) return ahead === 0;
    // The object is known, and was left out for its size until now.
    if (after.metadata.resourceVersion === before?.metadata.resourceVersion) return false;
    const order = compareResourceVersions(after.metadata.resourceVersion ?? '', position);
    return order !== undefined && order <= 0;
  }).length;
}
