import { annotation, type DeploymentResource, type DeploymentStatus } from '../../api/deployment.ts';
import { type Event, normal, warning } from './event.ts';
import { REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { looksLikeCommit } from '../external/shown.ts';
import { type Outcome, wasSent } from './outcome.ts';
import type { Plan } from '../plan/plan.ts';
import { bodyWarning } from './spec-warnings.ts';
import { inARow } from '../../base/text-for-people.ts';

/** The parts of a pass that events describe. */
export interface EventFacts {
  readonly resource: DeploymentResource;
  readonly before: DeploymentStatus;
  readonly after: DeploymentStatus;
  readonly plan: Plan | undefined;
  readonly outcome: Outcome;
  /** Possible mistakes in the resource, one line each. */
  readonly warnings?: readonly string[] | undefined;
}

/** The most problems that one event names. */
const WARNINGS_TOLD = 5;

/**
 * Returns the events of a pass: only transitions, never a lasting state. A successful edit is one event, that of its
 * request.
 */
export function eventsFor(facts: EventFacts): readonly Event[] {
  const found = [
    warnings,
    large,
    idleRedeploy,
    unprovenRedeploy,
    approved,
    bound,
    adopted,
    drift,
    sent,
    lossy,
    dropped,
    unsaved,
    planReady,
    external,
    active,
    oddState,
    trouble,
  ].map((tell) => tell(facts));
  return found.filter((event) => event !== undefined);
}

/** Reports the warnings when they change, but not again after a restart. Warnings block nothing. */
function warnings({ warnings = [], before, after }: EventFacts): Event | undefined {
  if (warnings.length === 0 || before.warningsTold === after.warningsTold) return undefined;
  const more = warnings.length > WARNINGS_TOLD ? ` (and ${warnings.length - WARNINGS_TOLD} more)` : '';
  return warning('SpecWarning', 'Observe', `${warnings.slice(0, WARNINGS_TOLD).join('. ')}${more}`);
}

/** Warns about a large request that was sent, whatever its outcome. */
function large({ plan, outcome }: EventFacts): Event | undefined {
  if (plan?.kind !== 'patch' && plan?.kind !== 'create') return undefined;
  if (outcome.kind !== 'applied' && outcome.kind !== 'failed') return undefined;
  const found = bodyWarning(plan.body);
  return found === undefined ? undefined : warning('SpecWarning', 'Patch', found);
}

/** Reports a redeploy that counts as handled without a request. */
function idleRedeploy({ resource, before, after, plan }: EventFacts): Event | undefined {
  const asked = annotation(resource, 'redeploy');
  const handled = asked !== undefined && after.lastHandledRedeploy === asked;
  if (!handled || before.lastHandledRedeploy === asked || before.applied === undefined) return undefined;
  if (plan?.kind === 'patch' && plan.cause === 'redeploy') return undefined;
  const message =
    'the redeploy does nothing: the operator may send no field of spec.sourceRevisionConfig, and the service shows no such field that could be sent again';
  return warning('SpecWarning', 'Observe', message);
}

/** Reports a redeploy that was sent as often as it may be, and that no read proves. */
function unprovenRedeploy({ before, after }: EventFacts): Event | undefined {
  const asked = before.pendingWrite?.redeploy;
  const isOver = after.pendingWrite === undefined && after.lastPatch?.outcome === 'NotApplied';
  if (asked === undefined || !isOver || after.lastHandledRedeploy !== asked) return undefined;
  const message =
    'the redeploy was sent twice, and no read proves that the service carried it out; set another text to ask again';
  return warning('NotConverging', 'Patch', message);
}

const APPROVED_AS = { patch: 'Patch', create: 'Create', delete: 'Delete' } as const;

function approved({ resource, outcome, plan }: EventFacts): Event | undefined {
  if (resource.spec.approval !== 'Manual' || outcome.kind !== 'applied') return undefined;
  if (plan?.kind !== 'patch' && plan?.kind !== 'create' && plan?.kind !== 'delete') return undefined;
  return normal('Approved', APPROVED_AS[plan.kind], 'the waiting plan was approved and sent');
}

/**
 * Reports the binding, unless the pass adopted the deployment or sent something: then the event about that includes it.
 */
function bound(facts: EventFacts): Event | undefined {
  const what = newlyBound(facts);
  if (what === undefined) return undefined;
  if (facts.plan?.kind === 'create')
    return normal('Created', 'Create', `${what} was created, and a tracing project of its name with it`);
  const isTold = (adopted(facts) ?? sent(facts)) !== undefined;
  return isTold ? undefined : normal('Bound', 'Bind', `bound to ${what}`);
}

/** Describes the deployment that a pass bound, for people. */
function newlyBound({ before, after }: EventFacts): string | undefined {
  if (after.deploymentID === undefined || before.deploymentID === after.deploymentID) return undefined;
  // The name is unknown if the answer contains no deployment.
  const name = after.name === undefined ? '' : ` (${after.name})`;
  return `deployment ${after.deploymentID}${name}`;
}

/**
 * Reports a deployment that is in sync without a write of this pass: it was from the start, or a write without an
 * answer succeeded.
 */
function adopted(facts: EventFacts): Event | undefined {
  const { before, after, plan } = facts;
  const first = before.applied === undefined && (after.applied?.fields.length ?? 0) > 0;
  if (first && plan?.kind === 'nothing' && plan.reason === 'InSync') {
    const what = newlyBound(facts) ?? 'the deployment';
    return normal('Adopted', 'Bind', `${what} already has the values of the spec; nothing was sent`);
  }
  const verified = before.pendingWrite !== undefined && after.pendingWrite?.time !== before.pendingWrite.time;
  if (!verified || after.lastPatch?.outcome !== 'Verified') return undefined;
  if (after.lastPatch.time !== before.pendingWrite.time) return undefined;
  const message = `the service applied a write whose outcome was unknown: ${before.pendingWrite.paths.join(', ')}`;
  return normal('Adopted', 'Observe', message);
}

const SENT_AS = {
  spec: 'PatchSent',
  repair: 'PatchSent',
  drift: 'DriftCorrected',
  secret: 'SecretsRotated',
  redeploy: 'Redeployed',
} as const;

function sent(facts: EventFacts): Event | undefined {
  const { plan, outcome, after } = facts;
  if (outcome.kind !== 'applied') return undefined;
  if (plan?.kind === 'delete') {
    const message = `deletion of ${plan.id} was accepted; the tracing project of its name may stay`;
    return normal('Deleted', 'Delete', message);
  }
  if (plan?.kind !== 'patch') return undefined;
  const what = newlyBound(facts);
  const binding = what === undefined ? '' : `; bound to ${what}`;
  return normal(SENT_AS[plan.cause], 'Patch', `${whatWent(plan)}${madeBy(plan, after)}${binding}`);
}

/** Returns the revision that the answer to a PATCH shows and the look before it did not show. */
function madeBy(
  { announcement }: Extract<Plan, { readonly kind: 'patch' }>,
  after: DeploymentStatus,
): string {
  const { latestRevisionID: latest } = after;
  return latest === undefined || latest === announcement.baseRevisionID ? '' : `; latest revision ${latest}`;
}

/** Describes a PATCH: the sent values of the spec, and the restored values. */
function whatWent({ announcement, losses, cause }: Extract<Plan, { readonly kind: 'patch' }>): string {
  const { paths } = announcement;
  const back = losses.filter((path) => !paths.includes(path));
  const parts = [
    ...(paths.length > 0 ? [`sent ${paths.join(', ')}`] : []),
    ...(back.length > 0 ? [`put back ${back.join(', ')}`] : []),
  ];
  if (parts.length > 0) return parts.join('; ');
  return cause === 'redeploy' ? 'sent the revision unchanged' : 'sent the shown values unchanged';
}

/** Returns the event for a resource that had to be released before its deployment could be deleted. */
export function orphanedEvent(message: string): Event {
  return warning('Orphaned', 'Delete', message);
}

/** Returns the last event of a released resource. */
export function releasedEvent(message: string): Event {
  return normal('Released', 'Delete', message);
}

function planReady({ before, after, plan }: EventFacts): Event | undefined {
  if (plan?.kind !== 'wait' || plan.hash === undefined || before.plan?.hash === plan.hash) return undefined;
  const count = (after.plan?.changes.length ?? 0) + (after.plan?.changesOmitted ?? 0);
  const waiting = count === 1 ? '1 change waits' : `${count} changes wait`;
  return normal('PlanReady', 'Observe', `${waiting} for approval of ${plan.hash}`);
}

function lossy({ plan, outcome }: EventFacts): Event | undefined {
  const lost = plan?.kind === 'patch' && wasSent(outcome) ? plan.losses : [];
  if (lost.length === 0) return undefined;
  const message = `the service emptied fields that a request left out; the operator puts them back: ${lost.join(', ')}`;
  return warning('SemanticsMismatch', 'Patch', `${message}${pinnedText(plan, lost)}`);
}

/** Tells of a branch that goes back as a commit, since the service shows no branch: a push does not move a commit. */
function pinnedText(plan: Plan | undefined, lost: readonly string[]): string {
  const ref = plan?.kind === 'patch' ? plan.body.sourceRevisionConfig?.['repoRef'] : undefined;
  if (!lost.includes(REPO_REF_PATH) || typeof ref !== 'string' || !looksLikeCommit(ref)) return '';
  return `; the branch goes back as commit ${ref}, since the service shows it so: declare it in spec.${REPO_REF_PATH}, or set it at the service`;
}

/** Reports fields that are gone and not restored, once. */
function dropped(facts: EventFacts): Event | undefined {
  const fields = newlyLost(facts).filter((path) => !path.startsWith(OF_SECRETS));
  if (fields.length === 0) return undefined;
  return warning('SemanticsMismatch', 'Patch', `gone after a write and not put back: ${inARow(fields)}`);
}

const OF_SECRETS = `${SECRETS_PATH}.`;

/** Reports secrets with unknown values that the previous write or this one lost. */
function unsaved(facts: EventFacts): Event | undefined {
  const { plan, outcome, before } = facts;
  const lostNow = newlyLost(facts).filter((path) => path.startsWith(OF_SECRETS));
  const byThis = plan?.kind === 'patch' && wasSent(outcome) ? plan.unsaved : [];
  const told = new Set(before.lost);
  const names = [
    ...lostNow.map((path) => path.slice(OF_SECRETS.length)),
    ...byThis.filter((name) => !told.has(`${OF_SECRETS}${name}`)),
  ];
  if (names.length === 0) return undefined;
  const message = `the operator cannot send these secrets back: ${inARow([...new Set(names)])}`;
  return warning('UnmanagedSecretsLost', 'Patch', message);
}

function newlyLost({ before, after }: EventFacts): readonly string[] {
  return (after.lost ?? []).filter((path) => before.lost?.includes(path) !== true);
}

/** Reports drift when it is first seen: at the write that corrects it, or when the policy says to report it. */
function drift(facts: EventFacts): Event | undefined {
  const { plan, outcome } = facts;
  const corrected = plan?.kind === 'patch' && plan.cause === 'drift' && outcome.kind === 'applied';
  if (!corrected && !isReportedAnew(facts)) return undefined;
  const changes = plan !== undefined && 'changes' in plan ? (plan.changes ?? []) : [];
  const text = changes.map(({ path, from, to }) => `${path}: ${from}, wanted ${to}`).join('; ');
  return warning('DriftDetected', 'Observe', text);
}

/** True if reported drift is new, or is in more fields than before. */
function isReportedAnew({ before, after, plan }: EventFacts): boolean {
  if (plan?.kind !== 'nothing' || plan.reason !== 'DriftReported') return false;
  if (conditionOf(before, 'Synced')?.reason !== 'DriftReported') return true;
  const known = new Set(before.plan?.changes.map(({ path }) => path));
  return after.plan?.changes.some(({ path }) => !known.has(path)) ?? false;
}

function external({ before, after }: EventFacts): Event | undefined {
  const newest = after.revisions?.[0];
  if (newest?.cause !== 'External' || newest.id === before.revisions?.[0]?.id) return undefined;
  const commit = newest.repoCommitSHA === undefined ? '' : ` from commit ${newest.repoCommitSHA}`;
  return normal('ExternalRevision', 'Observe', `revision ${newest.id}${commit} was made by someone else`);
}

/** Reports the end of a rollout that somebody else began, or that was in trouble. */
function active({ before, after }: EventFacts): Event | undefined {
  const { activeRevisionID: id } = after;
  if (id === undefined || id !== after.latestRevisionID) return undefined;
  const isTheirs = after.revisions?.[0]?.cause === 'External';
  if (!isTheirs && conditionOf(before, 'Stalled') === undefined) return undefined;
  const known = before.deploymentID !== undefined || before.pendingWrite !== undefined;
  if (!known || (before.activeRevisionID === id && before.latestRevisionID === id)) return undefined;
  return normal('RevisionActive', 'Observe', `revision ${id} is active`);
}

/** Reports a state that a person should know although the operator writes nothing because of it (H43, N33). */
function oddState({ before, after }: EventFacts): Event | undefined {
  const now = conditionOf(after, 'Ready');
  if (now?.reason !== 'Unused' && now?.reason !== 'UnknownState') return undefined;
  const same = conditionOf(before, 'Ready')?.reason === now.reason;
  const moved = before.serviceStatus !== after.serviceStatus;
  return same && !moved ? undefined : warning(now.reason, 'Observe', now.message);
}

/** Reports when a resource begins to need a person, but not while the reason lasts. */
function trouble({ before, after }: EventFacts): Event | undefined {
  const now = conditionOf(after, 'Stalled');
  if (now === undefined || conditionOf(before, 'Stalled')?.reason === now.reason) return undefined;
  return warning(now.reason, 'Observe', now.message);
}

function conditionOf(
  { conditions }: DeploymentStatus,
  type: string,
): NonNullable<DeploymentStatus['conditions']>[number] | undefined {
  return conditions?.find((condition) => condition.type === type);
}
