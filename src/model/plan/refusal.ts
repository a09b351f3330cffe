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

/** Everything that the answer to a request depends on. */
export interface RefusalFacts {
  readonly resource: DeploymentResource;
  readonly settings: ConnectionSettings;
  readonly desired: Pick<DesiredDeployment, 'secrets'>;
  /** The sources that a creation would be filled from. */
  readonly repository?: FoundRepository | undefined;
  readonly digests: Digests;
}

/** Answers that say that the same request will be refused again. */
const FINAL: ReadonlySet<SyncedReason> = new Set([
  'Rejected',
  'TooLarge',
  'Forbidden',
  'NameTaken',
  'DeleteNotSupported',
]);

/**
 * Returns when the newest request was sent that the service answered finally, or may have. A request that it refused
 * temporarily counts as not sent, so an approval of it stays valid.
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
 * Holds back a refused request until its basis changes, somebody asks for another try, or the time is over. Nothing
 * else that wakes the resource, such as a restart or an outage, sends it again.
 */
export function heldAfterRefusal(
  { nowMs, ...facts }: RefusalFacts & { readonly nowMs: number },
  { bodyPart, changes }: { readonly bodyPart: string; readonly changes: readonly Change[] },
): Plan | undefined {
  const { lastPatch } = facts.resource.status ?? {};
  const refusal = lastPatch?.refusal;
  if (lastPatch === undefined || refusal === undefined || refusal.basis !== basisOf(facts, bodyPart))
    return undefined;
  const againInMs = Date.parse(lastPatch.time) + heldMs(refusal) - nowMs;
  if (againInMs <= 0) return undefined;
  const { reason, message } = refusal as { reason: SyncedReason; message: string };
  return FINAL.has(reason)
    ? { kind: 'blocked', reason, message, againInMs, changes }
    : { kind: 'wait', reason, message, againInMs, changes };
}

/**
 * Returns how long a refusal is valid: half an hour if it is final, and a while if the service refused temporarily
 * again and again.
 */
function heldMs(refusal: Refusal): number {
  if (isFinal(refusal)) return DEFAULTS.heldAfterRejectionMs;
  return refusal.count < DEFAULTS.conflictsInARow ? 0 : DEFAULTS.heldAfterConflictsMs;
}

/** The record of a write that the service refused. */
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

/** Credentials go in as a keyed digest only, as values of secrets do. */
function basisOf(facts: RefusalFacts, bodyPart: string): string {
  const { resource, settings, desired, repository, digests } = facts;
  const { metadata, status } = resource;
  const secrets = desired.secrets.kind === 'unmanaged' ? [] : [...desired.secrets.values];
  const part = digests.part(
    JSON.stringify([
      bodyPart,
      metadata.generation ?? 0,
      // Taking an annotation away asks for nothing.
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
 * Returns the part of a connection on which an answer depends. Only its digests may be stored, since it contains
 * credentials.
 */
export function connectionBasis(settings: ConnectionSettings): readonly unknown[] {
  const { baseURL, edition, headers, tls, patchBodies } = settings;
  return [
    [baseURL, edition, patchBodies],
    headers.map(({ name, value }) => [name, value.reveal()]),
    [tls.ca ?? '', tls.certificate ?? '', tls.key?.reveal() ?? ''],
  ];
}
