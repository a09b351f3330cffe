import type { WireJson } from '../../../src/wire/wire-json.ts';
import type { Facts } from './facts.ts';
import { alike } from './leaves.ts';

/**
 * True if the newest list shows several secrets of a deployment, and somebody else gave all of them other values than in
 * the list before, without a new revision.
 */
export function wereEditedAtOnce(facts: Facts, id: string, atMs: number): boolean {
  const lists = facts.looksAt(id).filter(({ via, endedMs }) => via === 'list' && endedMs <= atMs);
  const [before, after] = lists.slice(-2);
  if (before === undefined || after === undefined) return false;
  const shown = [...after.leaves].filter(([path]) => path.startsWith('secrets.'));
  const isEdited = ([path, value]: readonly [string, WireJson]): boolean => {
    const was = before.leaves.get(path);
    if (!before.leaves.has(path) || alike(was, value)) return false;
    // A lagging list shows a value that somebody may have changed again since.
    const changes = facts.leafChanges(id, path).filter((change) => change.atMs <= after.endedMs);
    const [old, set] = [was, value].map((shown) => changes.findLastIndex((one) => alike(one.after, shown)));
    return set !== undefined && set > (old ?? -1) && changes[set]?.request === undefined;
  };
  const isSame = before.item['latest_revision_id'] === after.item['latest_revision_id'];
  return isSame && shown.length > 1 && shown.every(isEdited);
}

/**
 * Returns when the status of a connection began to say that the service masks values, if it still says so and all secrets
 * of the deployment were edited at once just before.
 */
export function seemedMaskedSince(facts: Facts, id: string, untilMs: number): number | undefined {
  const keys = new Set(facts.chronicle.connections.map(({ key }) => JSON.stringify(key)));
  for (const key of keys) {
    const versions = facts.chronicle.connections.filter(
      (one) => one.atMs <= untilMs && JSON.stringify(one.key) === key,
    );
    const isMasked = ({ object }: (typeof versions)[number]): boolean =>
      object?.status?.learned?.secretsVisibility?.verdict === 'Masked';
    const began = versions[versions.findLastIndex((one) => !isMasked(one)) + 1];
    if (began !== undefined && wereEditedAtOnce(facts, id, began.atMs)) return began.atMs;
  }
  return undefined;
}
