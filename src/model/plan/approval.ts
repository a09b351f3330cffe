import { annotation } from '../../api/deployment.ts';
import type { Change } from '../compare/change.ts';
import type { Plan } from './plan-kinds.ts';
import { lastSentTime } from './refusal.ts';
import type { Situation } from './situation.ts';

/**
 * With manual approval, a plan waits until its hash stands in the annotation: creation and deletion as much as a PATCH.
 * `about` is what would be done; resource, generation and the time of the last write make the hash valid once (H58). A write
 * that was refused for now was none: it goes again under the same approval.
 */
export function waitForApproval(
  { resource, digests }: Pick<Situation, 'resource' | 'digests'>,
  about: readonly unknown[],
  changes: readonly Change[],
): Plan | undefined {
  if (resource.spec.approval !== 'Manual') return undefined;
  const { metadata, status } = resource;
  const once = [
    metadata.uid ?? '',
    metadata.generation ?? 0,
    lastSentTime(status?.lastPatch) ?? '',
    status?.creation?.time ?? '',
  ];
  // It begins with the uid, as nothing else does of which a digest is shown.
  const hash = digests.hex(JSON.stringify([...once, ...about])).slice(0, 20);
  if (annotation(resource, 'approve') === hash) return undefined;
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const message = `${count} waiting; approve with annotation dms-operator.dev/approve=${hash}`;
  return { kind: 'wait', reason: 'AwaitingApproval', message, changes, hash };
}
