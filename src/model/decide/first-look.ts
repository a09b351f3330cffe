import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import { windowMs, writeShownMs } from '../compare/assess.ts';
import { declaredName, type Identity, identityOf } from '../desired/desired-deployment.ts';
import type { Situation } from '../plan/situation.ts';
import { wantsCreation } from './creation.ts';
import { creationDueMs, mayHaveCreated } from './deletion.ts';
import { isAwaitedByPerson, isRolling } from './recent-look.ts';

/** The facts that decide how to look at a deployment before the first plan. */
export interface BeforeLooking extends Pick<Situation, 'resource' | 'settings' | 'foundMs' | 'nowMs'> {
  /** The time at which the pass began. */
  readonly startedMs: number;
  /** The time at which this process first saw a request for a look that no pass has handled yet. */
  readonly lookAskedMs?: number | undefined;
  /** The time at which a read must begin to show the effect of what our newest write omitted; 0 if none is due. */
  readonly owedSinceMs: number;
  /** True if the newest look showed an older state than the one before it. */
  readonly isDoubted: boolean;
}

/** The look at a deployment with which a pass begins. */
export interface FirstLook {
  readonly identity: Identity;
  /** The look must have begun at or after this time. */
  readonly notOlderThanMs: number;
  /** The time since which the deployment must be missing to count as absent. */
  readonly missingSinceMs: number;
  /** Whom to look for next if the deployment is gone and must be created again: another one may have its name (H41). */
  readonly ifGone?: Identity | undefined;
}

/** Returns the look that a pass needs for its first plan. */
export function firstLook(facts: BeforeLooking): FirstLook {
  const { resource } = facts;
  return {
    identity: identityOf(resource),
    notOlderThanMs: freshEnoughMs(facts),
    missingSinceMs: lookedForSinceMs(facts),
    ifGone: namesakeOf(resource),
  };
}

function namesakeOf(resource: DeploymentResource): Identity | undefined {
  const name = declaredName(resource);
  const isRecreated = resource.status?.deploymentID !== undefined && wantsCreation(resource);
  return isRecreated && name !== undefined ? { by: 'name', name } : undefined;
}

/**
 * Returns since when a deployment must be missing for a pass to count. An edit or a request of a person is a new
 * question. So is the outcome of a creation: first after its announcement, and again when the list must show it.
 */
function lookedForSinceMs({ resource, settings, foundMs, startedMs }: BeforeLooking): number {
  const { metadata, status } = resource;
  if (status === undefined) return 0;
  const asked = annotation(resource, 'reconcileAt');
  const isAskedFor = asked !== undefined && asked !== status.lastHandledReconcileAt;
  if (isAskedFor || status.observedGeneration !== metadata.generation) return startedMs;
  if (!mayHaveCreated(resource)) return 0;
  const dueMs = creationDueMs({ resource, settings, foundMs });
  return startedMs < dueMs ? dueMs - windowMs(settings) : dueMs;
}

/**
 * Returns the time after which the look must have begun. The shared snapshot is enough while sweeps keep it current,
 * even if it shows that a rollout has ended. If sweeps stood still, as behind a suspended connection, no decision may
 * rest on it. A resource that is not settled for another reason needs its own read. A read that began before our last
 * write shows nothing of it. Once the window of that write is over, a read from within it is too old: it was judged
 * with caution, so the operator reads and judges again. An edit does not wait for that: its own write has a window,
 * too.
 */
function freshEnoughMs(facts: BeforeLooking): number {
  const { resource, settings, nowMs, owedSinceMs, isDoubted, lookAskedMs = 0 } = facts;
  const { status } = resource;
  const notSettled = status?.conditions?.some(({ type }) => type === 'Reconciling') ?? false;
  const wantsOwn = (notSettled && !isRolling(resource)) || isDoubted;
  const written = [status?.lastPatch, status?.pendingWrite].map((write) =>
    write === undefined ? 0 : Date.parse(write.time) + 1,
  );
  const overMs = writeShownMs(resource, settings);
  const isOver = overMs <= nowMs && !isAwaitedByPerson(resource);
  const { poll } = settings;
  return Math.max(
    ...written,
    owedSinceMs,
    isOver ? overMs : 0,
    nowMs - (wantsOwn ? poll.rolloutMs / 2 : 2 * poll.intervalMs),
    lookAskedMs,
  );
}
