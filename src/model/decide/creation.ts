import { annotation, type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { outOfBudget, waitForApproval } from '../plan/wait-for-approval.ts';
import type { Change } from '../compare/change.ts';
import { DEFAULTS } from '../connection/connection.ts';
import { newGenerationOf } from '../plan/budget.ts';
import { nameFor } from './binding.ts';
import { connectionReferences } from '../connection/data-references.ts';
import { keyText } from '../../api/metadata.ts';
import { creationDueMs, mayHaveCreated } from './deletion.ts';
import { declaredName, type DesiredDeployment } from '../desired/desired-deployment.ts';
import { untilNextLookMs } from '../external/until-next-look-ms.ts';
import { idsIn, type Observation } from '../external/observation.ts';
import { type Plan, waiting } from '../plan/plan.ts';
import { heldAfterRefusal } from '../plan/refusal.ts';
import {
  type FoundRepository,
  type Listed,
  type ObservedProvider,
  type ObservedRepository,
  repositoryProblem,
} from '../external/inventory.ts';
import type { Situation } from '../plan/situation.ts';
import { defined } from '../../base/defined.ts';
import type { Digests } from '../recorded/digests.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { type CreateBody, patchBody } from '../external/patch-body.ts';
import { declaredList } from '../patch/secret-list.ts';

/**
 * The number of requests for a creation. If no list shows a result, the operator repeats the request once, and then a
 * person has to look (H40).
 */
const CREATIONS = 2;

/** True if the operator must create a missing deployment. */
export function wantsCreation(resource: DeploymentResource): boolean {
  const { spec, status } = resource;
  if (spec.creation?.policy !== 'IfMissing' || observesOnly({ spec })) return false;
  if (declaredName(resource) === undefined) return false;
  return status?.deploymentID === undefined || spec.creation.recreate === true;
}

/** True if an announced creation no longer counts: a new spec, or a person, asks for another one. */
export function isCreationAskedAnew(resource: DeploymentResource): boolean {
  const { metadata, status } = resource;
  return isAskedByHand(resource) || status?.pendingWrite?.generation !== metadata.generation;
}

function isAskedByHand(resource: DeploymentResource): boolean {
  const asked = annotation(resource, 'reconcileAt');
  return asked !== undefined && asked !== resource.status?.lastHandledReconcileAt;
}

/** True if a plan of the resource waits for approval: a person had asked for it. */
function isProposed({ status }: DeploymentResource): boolean {
  return status?.plan?.hash !== undefined;
}

/**
 * Waits for the result of an announced creation. If no list shows the result of two creations, a person has to look.
 */
export function createPending(situation: Situation): Plan | undefined {
  const { resource, observation, nowMs } = situation;
  const { status } = resource;
  if (!mayHaveCreated(resource) || status?.deploymentID !== undefined) return undefined;
  const dueMs = creationDueMs(situation);
  if (observation.kind === 'absent' && observation.proven && observation.beganMs >= dueMs) {
    const spent = (status?.pendingWrite?.attempt ?? 1) >= CREATIONS;
    const elsewhere = askedElsewhere(situation, observation.tenants?.known);
    if (elsewhere !== undefined && !isAskedByHand(resource) && !isProposed(resource)) return elsewhere;
    if (!spent || isCreationAskedAnew(resource)) return undefined;
    const message = `the operator asked for its creation ${CREATIONS} times, and no list shows the deployment; set reconcile-at or edit the spec to ask again`;
    return { kind: 'blocked', reason: 'NotFound', message, againInMs: DEFAULTS.heldAfterRejectionMs };
  }
  const message =
    'the outcome of a creation is unknown; the operator looks for the name until the list must show it';
  return waiting('CreatePending', message, untilNextLookMs(observation, nowMs, dueMs - nowMs));
}

/**
 * Blocks the repetition of a creation if the list shows nothing of the tenant in which the first one was asked for: the
 * credential may belong to another tenant by now, where the deployment cannot appear.
 */
function askedElsewhere(
  { resource, settings }: Situation,
  shown: ReadonlySet<string> | undefined,
): Plan | undefined {
  const { tenantID } = resource.status?.creation ?? {};
  if (tenantID === undefined || shown === undefined || shown.has(tenantID)) return undefined;
  const message = `its creation was asked for in tenant ${tenantID}, and the list shows nothing of that tenant; does the credential belong to another one? reconcile-at asks for it all the same`;
  return { kind: 'blocked', reason: 'TenantChanged', message, againInMs: settings.poll.intervalMs };
}

/**
 * Prevents a second deployment beside another one that now has the name, and does not silently take over that one (H26,
 * H41).
 */
export function nameInUse({ resource, namesake, settings, nowMs }: Situation): Plan | undefined {
  const gone = resource.status?.deploymentID;
  if (gone === undefined || !wantsCreation(resource)) return undefined;
  if (namesake === undefined || (namesake.kind === 'absent' && !namesake.proven))
    return waiting(
      'NotVisibleYet',
      'the operator looks for the name before it uses the name again',
      untilNextLookMs(namesake, nowMs),
    );
  if (namesake.kind === 'absent') return undefined;
  const ids = idsIn(namesake);
  if (ids.includes(gone))
    return waiting('NotVisibleYet', 'shown by one look and not by another', settings.poll.intervalMs);
  const message = `deployment ${gone} is gone from the service, and ${ids.slice(0, 5).join(', ')} has its name; to bind to that one, write its id into spec.deploymentRef and remove spec.creation`;
  return { kind: 'blocked', reason: 'NotFound', message };
}

/**
 * Prevents another creation while the list leaves out a deployment that we created: the operator would create more and
 * more of them. A person has to ask for the next one.
 */
export function notListedYet({ resource, observation }: Situation): Plan | undefined {
  const isUnlisted = observation.kind === 'absent' && observation.unlisted === true;
  if (!isUnlisted || !wantsCreation(resource) || isAskedByHand(resource)) return undefined;
  const made = resource.status?.deploymentID ?? `of the name ${declaredName(resource) ?? ''}`;
  const message = `deployment ${made} was made, and no list has shown it since; the operator creates no second one unless reconcile-at asks for it`;
  return { kind: 'blocked', reason: 'NotFound', message };
}

/**
 * Waits if another resource asked for a deployment of this name first, and this look is too early to show the result: a
 * second deployment would be one too many (H40).
 */
export function madeByAnother(situation: Situation): Plan | undefined {
  const { resource, creators, observation, settings, nowMs } = situation;
  if (!wantsCreation(resource)) return undefined;
  const isShown = (other: DeploymentResource): boolean =>
    (!mayStillCreate(other) || isBoundBeside(other, creators)) &&
    !isHeld(other, observation) &&
    observation.beganMs >= creationDueMs({ resource: other, settings });
  const first = creators
    .filter((other) => askedName(other) === declaredName(resource))
    .find((other) => (isHeld(other, observation) || asked(other) < asked(resource)) && !isShown(other));
  if (first === undefined) return undefined;
  const isGone = isHeld(first, observation) && isKnownGone(first);
  if (isGone || isGivenUp(first)) {
    const isAsked = isAskedByHand(resource) || mayHaveCreated(resource) || isProposed(resource);
    return isAsked ? undefined : madeInVain(situation, first);
  }
  const leftMs = creationDueMs({ resource: first, settings }) - nowMs;
  const message = `${nameFor(resource, first)} asked for a deployment of this name; waiting for the outcome`;
  return waiting('CreatePending', message, leftMs > 0 ? leftMs : settings.poll.intervalMs);
}

/** True if a resource asked for its creation as often as it may, and no list shows the result. */
export function isGivenUp(resource: DeploymentResource): boolean {
  const { deploymentID, pendingWrite } = resource.status ?? {};
  const isSpent = (pendingWrite?.attempt ?? 1) >= CREATIONS;
  return deploymentID === undefined && isSpent && mayHaveCreated(resource) && isKnownGone(resource);
}

function madeInVain({ resource, settings }: Situation, first: DeploymentResource): Plan {
  const what =
    first.status?.deploymentID === undefined
      ? 'asked for a deployment of this name, and no list shows it'
      : 'is bound to the deployment of this name, which is gone';
  const message = `${nameFor(resource, first)} ${what}; set reconcile-at to ask all the same`;
  return { kind: 'blocked', reason: 'NotFound', message, againInMs: settings.poll.intervalMs };
}

/**
 * True if another resource with the same connection is bound to the deployment of the name that a resource announced: its
 * own status may no longer say so, since it shows the trouble of the connection instead.
 */
function isBoundBeside(resource: DeploymentResource, creators: readonly DeploymentResource[]): boolean {
  const own = connectionReferences(resource).map(keyText).join();
  return creators.some(
    (other) =>
      other.status?.deploymentID !== undefined &&
      askedName(other) === declaredName(resource) &&
      connectionReferences(other).map(keyText).join() === own &&
      !isKnownGone(other),
  );
}

/** Returns the name by which a resource asked for its deployment: that of its binding, even if it declares another one. */
function askedName(resource: DeploymentResource): string | undefined {
  return resource.status?.binding?.reference ?? declaredName(resource);
}

/** True if the deployment of a bound resource is known to be gone. */
function isKnownGone({ status }: DeploymentResource): boolean {
  return status?.conditions?.some(({ reason }) => reason === 'NotFound') === true;
}

/**
 * True if a resource is bound in a tenant of this list: the name is in use although the list does not show it. Another
 * tenant has its own names.
 */
function isHeld(resource: DeploymentResource, observation: Situation['observation']): boolean {
  const { status } = resource;
  if (status?.deploymentID === undefined || observation.kind !== 'absent') return false;
  return observation.tenants?.known.has(status.binding?.tenantID ?? '') === true;
}

/**
 * True if an announced creation may still take effect. False if another resource is bound to the deployment of that
 * name.
 */
export function mayStillCreate(resource: DeploymentResource): boolean {
  const isOutdone =
    resource.status?.conditions?.some(({ reason }) => reason === 'OwnershipConflict') === true;
  return mayHaveCreated(resource) && !isOutdone;
}

/**
 * Returns a sort key: by the time of the request to create, resources without a request last, then by the creation of
 * the resource, then by uid.
 */
function asked(resource: DeploymentResource): string {
  const { metadata, status } = resource;
  const time = status?.creation?.time ?? '';
  const was = mayHaveCreated(resource) || (status?.deploymentID !== undefined && time !== '');
  return [was ? time : '9999', metadata.creationTimestamp ?? '9999', metadata.uid ?? ''].join(' ');
}

/** Returns a plan if an object is missing that must exist before a creation. */
export function missingBeforeCreation(s: Situation): Plan | undefined {
  if (!wantsCreation(s.resource)) return undefined;
  const { repository } = s.resource.spec;
  if (typeof s.repository === 'string' && repository !== undefined) {
    const message = repositoryProblem(repository, s.repository);
    return waiting('RepositoryNotFound', message, s.settings.poll.intervalMs);
  }
  return missingProviders(s);
}

/**
 * Returns a plan if the budget has no room for a creation: repeated deletions by others must not cause repeated builds.
 */
export function noRoomToCreate({ resource, nowMs }: Situation): Plan | undefined {
  if (!wantsCreation(resource)) return undefined;
  return outOfBudget(resource, { newGeneration: newGenerationOf(resource), nowMs, changes: [] });
}

/** Returns the plan of the creation. */
export function create(s: Situation): Plan | undefined {
  const name = declaredName(s.resource);
  if (!wantsCreation(s.resource) || name === undefined) return undefined;
  if (s.desired.secrets.kind === 'missing') {
    const what = s.desired.secrets.what.join(', ');
    return waiting('SecretMissing', `not created until it exists: ${what}`);
  }
  const created: Change = {
    path: 'metadata',
    from: '(absent)',
    to: `created as ${name}`,
    revision: 'Expected',
  };
  return (
    heldAfterRefusal(s, { bodyPart: createPart(name, s.digests), changes: [] }) ??
    waitForApproval(s, ['create', s.desired.source], [created]) ?? {
      kind: 'create',
      body: createBody(s.resource, s.desired, s.repository),
      ...defined({ tenantID: onlyTenant(s.observation) }),
    }
  );
}

/** Returns the tenant of a list that names the tenants of all deployments and shows a single one. */
function onlyTenant(observation: Observation): string | undefined {
  if (observation.kind !== 'absent' || observation.tenants?.complete !== true) return undefined;
  const { known } = observation.tenants;
  return known.size === 1 ? [...known][0] : undefined;
}

/** Returns the body of a creation: all managed fields. The secrets are always a list (N51). */
function createBody(
  resource: DeploymentResource,
  desired: DesiredDeployment,
  repository?: FoundRepository,
): CreateBody {
  const name = resource.spec.deploymentRef?.name ?? resource.metadata.name;
  const paths = new Set([...desired.fields.map(({ field }) => field.path), SECRETS_PATH]);
  const all = patchBody(
    desired,
    { id: '', name },
    {
      ...{ paths, withheld: new Set(), reported: new Set(), defaulted: new Set() },
      ...{ secrets: declaredList(desired), redeploy: true },
    },
  );
  const found = typeof repository === 'object' ? repository : undefined;
  return {
    ...withoutDirective(all),
    sourceConfig: { ...all.sourceConfig, fields: { ...placeOf(found), ...all.sourceConfig?.fields } },
    sourceRevisionConfig: {
      ...defined({ repoRef: found?.defaultBranch }),
      ...all.sourceRevisionConfig,
    },
    name,
    source: desired.source,
    extra: (resource.spec.creation?.extra ?? {}) as Readonly<Record<string, Json>> satisfies JsonObject,
  };
}

/**
 * Returns the fields of a repository that the spec leaves open, for the creation only (2.2): a later default branch
 * changes nothing.
 */
function placeOf(repository: ObservedRepository | undefined): JsonObject {
  return repository === undefined ? {} : { integrationID: repository.integrationID, repoURL: repository.url };
}

/**
 * Returns the part of a digest for a creation under a name: it is the same for every body, since a resource has only one
 * creation of a name.
 */
export function createPart(name: string, digests: Digests): string {
  return digests.part(`Create\n${name}`);
}

/** Removes `revision_source`, which overrides the source of one revision (4.4): a creation has nothing to override. */
function withoutDirective<T extends { readonly revisionSource?: string }>(
  body: T,
): Omit<T, 'revisionSource'> {
  const { revisionSource: _, ...rest } = body;
  return rest;
}

/** Returns the names and ids in spec.requiredOAuthProviders that the service does not list. */
export function missingFrom(
  { items }: Listed<ObservedProvider>,
  { spec }: Pick<DeploymentResource, 'spec'>,
): readonly string[] {
  const listed = new Set(items.flatMap(({ name, providerID }) => [name, providerID]));
  return (spec.requiredOAuthProviders ?? []).filter((name) => !listed.has(name));
}

/** Returns a plan if the service does not list a provider that the spec requires: nothing is written before (4.1). */
export function missingProviders({ resource, providers, settings }: Situation): Plan | undefined {
  const missing = missingFrom(providers, resource);
  if (missing.length === 0) return undefined;
  const message = `OAuth providers ${missing.join(', ')}: ${whyNotListed(providers)}`;
  return waiting('ProviderMissing', message, settings.poll.intervalMs);
}

function whyNotListed({ more, trouble }: Listed<ObservedProvider>): string {
  if (trouble !== undefined) return `the service did not list its providers (${trouble.reason})`;
  const where = more ? ' on the first page, and the operator does not read further pages (Link)' : '';
  return `the service does not list them${where}`;
}
