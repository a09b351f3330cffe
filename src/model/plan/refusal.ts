import type { SyncedReason } from '../../api/condition.ts';
import { annotation, type DeploymentResource, type DeploymentStatus } from '../../api/deployment.ts';
import { secretPart } from '../recorded/baseline.ts';
import type { Digests } from '../recorded/digests.ts';
import type { Change } from '../compare/change.ts';
import { type ConnectionSettings, DEFAULTS } from '../connection/connection.ts';
import type { DesiredDeployment } from '../desired/desired-deployment.ts';
import type { Failure } from '../connection/failure.ts';
import type { Plan } from './plan.ts';
import type { FoundRepository } from '../external/inventory.ts';
import { textForPeople } from '../../base/text-for-people.ts';

type LastPatch = NonNullable<DeploymentStatus['lastPatch']>;

/** A refusal as `status.lastPatch` remembers it. */
type Refusal = NonNullable<LastPatch['refusal']>;

/** The facts on which the answer to a request depends. */
export interface RefusalFacts {
  readonly resource: DeploymentResource;
  readonly settings: ConnectionSettings;
  readonly desired: Pick<DesiredDeployment, 'secrets'>;
  /** The repository that a creation would use. */
  readonly repository?: FoundRepository | undefined;
  readonly digests: Digests;
}

/** Reasons that mean that the service will refuse the same request again. */
const FINAL: ReadonlySet<SyncedReason> = new Set([
  'Rejected',
  'TooLarge',
  'Forbidden',
  'NameTaken',
  'DeleteNotSupported',
]);

/**
 * Returns the send time of the newest request that the service answered finally, or may have answered. A request that
 * it refused temporarily counts as not sent, so the approval of it stays valid.
 */
export function lastSentTime(lastPatch: DeploymentStatus['lastPatch']): string | undefined {
  if (lastPatch?.outcome !== 'Refused' || isFinal(lastPatch.refusal)) return lastPatch?.time;
  return lastPatch.lastSentTime;
}

function isFinal(refusal: Pick<Refusal, 'reason'> | undefined): boolean {
  return refusal !== undefined && FINAL.has(refusal.reason as SyncedReason);
}

/** Returns the same text for every request to delete, since such a request has no contents that could change. */
export function deletePart(digests: Digests): string {
  return digests.part('Delete');
}

/**
 * Holds back a refused request until its basis changes, somebody asks for another try, or the time is over. Other
 * wake-ups of the resource, such as a restart or an outage, do not send it again.
 */
export function heldAfterRefusal(
  { nowMs, ...facts }: RefusalFacts & { readonly nowMs: number },
  { bodyPart, changes }: { readonly bodyPart: string; readonly changes: readonly Change[] },
): Plan | undefined {
  const { lastPatch, pendingWrite, missingSinceTime } = facts.resource.status ?? {};
  const refusal = lastPatch?.refusal;
  if (lastPatch === undefined || refusal === undefined || refusal.basis !== basisOf(facts, bodyPart))
    return undefined;
  const heldForMs = Date.parse(lastPatch.time) + heldMs(refusal) - nowMs;
  // Another PATCH was sent since. The status is about to record that one, and the next look judges it.
  const hasSuccessor = pendingWrite?.operation === 'Patch';
  const againInMs = hasSuccessor ? Math.min(heldForMs, DEFAULTS.pollRolloutMs) : heldForMs;
  if (heldForMs <= 0 || mayBeFree(refusal, lastPatch.time, missingSinceTime)) return undefined;
  const { reason, message } = refusal as { reason: SyncedReason; message: string };
  return FINAL.has(reason)
    ? { kind: 'blocked', reason, message, againInMs, changes }
    : { kind: 'wait', reason, message, againInMs, changes };
}

/**
 * Returns how long a refusal is valid: half an hour if it is final, a shorter time after repeated temporary refusals.
 */
function heldMs(refusal: Refusal): number {
  if (isFinal(refusal)) return DEFAULTS.heldAfterRejectionMs;
  return refusal.count < DEFAULTS.conflictsInARow ? 0 : DEFAULTS.heldAfterConflictsMs;
}

/**
 * True if a name that was taken may be free: a list has shown the bound deployment since the refusal, and it is missing
 * again. Lists may keep hiding it, so only the first of several refusals in a row ends so early.
 */
function mayBeFree(
  { reason, count }: Refusal,
  refusedTime: string,
  missingSinceTime: string | undefined,
): boolean {
  if (reason !== 'NameTaken' || count > 1 || missingSinceTime === undefined) return false;
  return Date.parse(missingSinceTime) > Date.parse(refusedTime);
}

/** Returns the record of a write that the service refused. */
export function refusalAfter(
  facts: RefusalFacts,
  { reason }: Failure,
  { bodyPart, message }: { readonly bodyPart: string; readonly message: string },
): Refusal {
  const before = facts.resource.status?.lastPatch?.refusal;
  const basis = basisOf(facts, bodyPart);
  const count = before?.basis === basis && before.reason === reason ? before.count + 1 : 1;
  return { reason, message: textForPeople(message), basis, count };
}

/** Returns the basis of a refusal. It contains credentials only as a keyed digest, as it does values of secrets. */
function basisOf(facts: RefusalFacts, bodyPart: string): string {
  const { resource, settings, desired, repository, digests } = facts;
  const { metadata, status } = resource;
  const secrets = desired.secrets.kind === 'unmanaged' ? [] : [...desired.secrets.values];
  const part = digests.part(
    JSON.stringify([
      bodyPart,
      metadata.generation ?? 0,
      // The removal of an annotation asks for nothing.
      annotation(resource, 'reconcileAt') ?? status?.lastHandledReconcileAt ?? '',
      annotation(resource, 'redeploy') ?? status?.lastHandledRedeploy ?? '',
      secrets.map(([name, value]) => secretPart(name, value, digests)).toSorted(),
      repository ?? '',
      ...connectionBasis(settings),
    ]),
  );
  return digests.bind('refusal', '', part);
}

/**
 * Returns the parts of a connection on which an answer depends. They contain credentials, so only their digests may be
 * stored.
 */
export function connectionBasis(settings: ConnectionSettings): readonly unknown[] {
  const { baseURL, edition, headers, tls, patchBodies } = settings;
  return [
    [baseURL, edition, patchBodies],
    headers.map(({ name, value }) => [name, value.reveal()]),
    [tls.ca ?? '', tls.certificate ?? '', tls.key?.reveal() ?? ''],
  ];
}
