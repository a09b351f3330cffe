import { connectionProblem, referenceProblem } from './binding.ts';
import {
  create,
  createPending,
  madeByAnother,
  missingBeforeCreation,
  nameInUse,
  noRoomToCreate,
  notListedYet,
} from './creation.ts';
import type { Row } from './decision-table.ts';
import { gone, isDeleting, isDeletionAccepted, leftUntilGoneMs } from './deletion.ts';
import { identityOf } from '../desired/desired.ts';
import { isOfOthers } from '../external/doubt.ts';
import { untilNextLookMs } from '../external/next-look.ts';
import { type Plan, waiting } from '../plan/plan-kinds.ts';
import type { Situation } from '../plan/situation.ts';

/** The decision table for a deployment that the service does not show. First match wins, the last row always does. */
export const ABSENT: readonly Row<Situation, Plan>[] = [
  { situation: 'several carry the name', plan: ambiguous },
  { situation: 'in the list, and not to be read', plan: unreadable },
  { situation: 'not looked for where it was bound', plan: elsewhere },
  { situation: 'nothing of the tenant it was bound in is shown', plan: ofOthers },
  { situation: 'deleting, and it is gone', plan: gone },
  { situation: 'a creation was announced and its result is unknown', plan: createPending },
  { situation: 'absent, and a single look is not enough', plan: notVisibleYet },
  {
    situation: 'gone, and the resource means another one by now',
    plan: ({ resource }) => referenceProblem(resource),
  },
  { situation: 'gone, to be made again, and its name is in use', plan: nameInUse },
  { situation: 'made, and never listed since', plan: notListedYet },
  { situation: 'absent, and something that the spec requires is missing', plan: missingBeforeCreation },
  { situation: 'to be made again, too often', plan: noRoomToCreate },
  { situation: 'to be made, and another resource has just asked for it', plan: madeByAnother },
  { situation: 'absent, and creation is asked for', plan: create },
  { situation: 'absent, and not ours to create', plan: notFound },
];

function ambiguous({ observation }: Situation): Plan | undefined {
  if (observation.kind !== 'ambiguous') return undefined;
  const ids = observation.ids.slice(0, 5).join(', ');
  return {
    kind: 'blocked',
    reason: 'AmbiguousName',
    message: `several deployments carry this name (${ids}); set spec.deploymentRef.id`,
  };
}

/** An unreadable item exists, so nothing is created; its content is unknown, so nothing is written (R7). */
function unreadable({ resource, observation }: Situation): Plan | undefined {
  if (observation.kind !== 'unreadable') return undefined;
  const what = `the list shows deployment ${observation.item}, which cannot be read: ${observation.problem}`;
  if (isDeleting(resource)) {
    const message = `${what}; it is not deleted before it can be, and deletionPolicy Orphan lets it go`;
    return waiting('Deleting', message);
  }
  return { kind: 'blocked', reason: 'Unreadable', message: `${what}; nothing is sent before it can be` };
}

/** That the pinned id is missing where it never was says nothing of it, and least of all that it was deleted (H27). */
function elsewhere({ resource, settings }: Situation): Plan | undefined {
  const identity = identityOf(resource);
  const pinned = identity.by === 'id' && identity.id === resource.status?.deploymentID;
  return pinned ? connectionProblem(resource, undefined, settings) : undefined;
}

/**
 * That the pinned id is missing from a list of other tenants says nothing of it either: it is not gone, is not made
 * again, and its deletion is not confirmed, unless the service itself has accepted that (R14).
 */
function ofOthers({ resource, observation }: Situation): Plan | undefined {
  const tenantID = resource.status?.binding?.tenantID;
  if (observation.kind !== 'absent' || observation.tenants === undefined || tenantID === undefined)
    return undefined;
  if (!isOfOthers(observation.tenants, tenantID) || isDeletionAccepted(resource)) return undefined;
  const message = `bound in tenant ${tenantID}, and the list shows deployments of other tenants only; it does not count as gone`;
  return { kind: 'blocked', reason: 'TenantChanged', message };
}

/** One look proves nothing: a bound deployment must be missing one window apart, any other in two passes (N8, H32). */
function notVisibleYet({ resource, observation, nowMs }: Situation): Plan | undefined {
  if (observation.kind !== 'absent' || !observation.proven) {
    const why = observation.kind === 'absent' ? observation.why : undefined;
    const proof = why === undefined ? '' : `, which proves nothing (${why})`;
    const message = `not in the last list pass${proof}; looking once more`;
    return waiting('NotVisibleYet', message, untilNextLookMs(observation, nowMs));
  }
  if (resource.status?.deploymentID === undefined) return undefined;
  const leftMs = leftUntilGoneMs(resource, observation.beganMs);
  if (leftMs <= 0) return undefined;
  const message = 'the bound deployment is missing from the list; looking again before it counts as gone';
  return waiting('NotVisibleYet', message, untilNextLookMs(observation, nowMs, leftMs));
}

function notFound({ resource }: Situation): Plan {
  const { status, spec } = resource;
  const message =
    status?.deploymentID === undefined
      ? `no deployment of the service is named or identified by this resource; spec.creation.policy is ${spec.creation?.policy ?? 'Never'}`
      : `deployment ${status.deploymentID} is gone from the service; write another id into spec.deploymentRef, or set spec.creation.recreate. Its name, or the tracing project of that name, may still be taken`;
  return { kind: 'blocked', reason: 'NotFound', message };
}
