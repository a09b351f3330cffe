import type { DeploymentResource } from '../../api/deployment.ts';
import {
  announcedStatus,
  requestIDOf,
  withdrawnStatus,
  type WritePlan,
} from '../../model/status/announced-status.ts';
import { digestsFor, type KeyedHashes } from '../../model/recorded/digests.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import type { Outcome } from '../../model/outcome/outcome.ts';
import { holdsStill } from '../../model/decide/recent-look.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { ExternalClient, PassedUp } from '../../ports/service/external-client.ts';
import type { LogFields, Logger } from '../../ports/process/logger.ts';
import type { Decision } from './decide.ts';

/** A write that the service answered with success. */
export type Sent = Omit<Extract<Outcome, { readonly kind: 'applied' }>, 'kind'>;

/** The parts of a write. */
export interface WriteParts {
  readonly store: DesiredStore;
  readonly digests: KeyedHashes;
  readonly clock: Clock;
  readonly logger: Logger;
  /** True if the operator only plans, and writes status and metrics, but makes no call that writes to the service. */
  readonly dryRun: boolean;
  /** True if the resource would still get this service. */
  readonly isServed: (resource: DeploymentResource, service: ExternalClient) => boolean;
}

/** Callbacks for the progress of a pass. */
export interface WriteProgress {
  /** Called with the announced resource as soon as the announcement is stored. */
  readonly onAnnounced: (announced: DeploymentResource) => void;
  /** Called when the announcement was withdrawn. */
  readonly onWithdrawn: (announced: DeploymentResource) => void;
  /** Ends the wait for a permit when it aborts; a write that has begun continues. */
  readonly waiting: AbortSignal;
  /** Ends the pass when it aborts. */
  readonly signal: AbortSignal;
  /** The permit that this pass passed up earlier and now asks for again. */
  readonly kept: PassedUp | undefined;
}

/** A stored announcement, and the reason why nothing was sent after it. */
interface Unsent {
  readonly kind: 'unsent';
  readonly announced: DeploymentResource;
  readonly why: string;
}

/** A write that the operator decided on. */
export interface DecidedWrite {
  readonly resource: DeploymentResource;
  readonly decision: Decision;
  readonly plan: WritePlan;
  readonly send: (requestID: string) => Promise<Sent>;
}

/**
 * Makes one write that survives a crash. When there is a permit, it checks again whether the decision is valid, and
 * gives the permit up if not. Then it stores the announcement, which also proves that the decision did not use an
 * outdated object. Then it sends the request exactly once, unless that took too long. The next pass verifies an unclear
 * outcome.
 */
export async function write(
  decided: DecidedWrite,
  parts: WriteParts & WriteProgress,
): Promise<Outcome | PassedUp> {
  const { resource, decision, plan } = decided;
  const { service, priority } = decision;
  const { logger, waiting, kept } = parts;
  if (parts.dryRun) {
    logger.info('would send a change', sendingFields(resource, plan));
    return { kind: 'settled', reason: 'Differs', message: 'nothing is sent in a dry run' };
  }
  const wants = (): boolean => holds(decided, parts);
  const namespace = resource.metadata.namespace ?? '';
  const permitted = await service.withPermit(
    { priority, namespace, wants, kept },
    () => announceAndSend(decided, parts),
    waiting,
  );
  if (permitted.kind !== 'unsent') return permitted;
  return withdraw(decided, permitted, parts);
}

/** True if no condition of the decision has changed, and its look is recent enough. */
function holds(
  { resource, decision }: DecidedWrite,
  { clock, isServed, kept }: WriteParts & WriteProgress,
): boolean {
  const { plan, service } = decision;
  const now = {
    settings: service.settings,
    apartMs: service.apartMs,
    nowMs: clock.now(),
    movedSince: (ms: number): boolean => plan.kind === 'patch' && service.movedSince(plan.id, ms),
    sweptSince: (ms: number): boolean => plan.kind === 'patch' && service.sweptSince(plan.id, ms),
    isRepeated: kept !== undefined,
  };
  return isServed(resource, service) && holdsStill(decision, now);
}

async function announceAndSend(
  decided: DecidedWrite,
  parts: WriteParts & WriteProgress,
): Promise<Outcome | Unsent> {
  const { resource, plan, send } = decided;
  const { store, digests, clock, logger, onAnnounced } = parts;
  const announcedMs = clock.now();
  const announced = await store.announce(
    resource,
    announcedStatus(resource, plan, digestsFor(resource, digests), announcedMs),
  );
  if (announced === 'stale')
    return { kind: 'waiting', reason: 'Pending', message: 'the resource changed meanwhile', againInMs: 0 };
  onAnnounced(announced);
  const why = notToSend(decided, announcedMs, parts);
  if (why !== undefined) return { kind: 'unsent', announced, why };
  const requestID = requestIDOf(announced, digests);
  logger.info('sending a change', { requestID, ...sendingFields(resource, plan) });
  return { kind: 'applied', ...(await send(requestID)) };
}

/**
 * Returns why a write must not be sent although it was just announced: the window of its evidence begins with the
 * announcement (3.3).
 */
function notToSend(
  decided: DecidedWrite,
  announcedMs: number,
  parts: WriteParts & WriteProgress,
): string | undefined {
  if (parts.clock.now() - announcedMs > DEFAULTS.announcementMs) return 'the announcement took too long';
  if (!holds(decided, parts)) return 'the decision is out of date';
  return decided.decision.service.isPaused ? 'the service asked for a pause' : undefined;
}

/**
 * Withdraws an announcement after which nothing was sent: restores the previous status, so that the next pass decides
 * again.
 */
async function withdraw(
  { resource, plan }: DecidedWrite,
  { announced, why }: Unsent,
  { store, logger, onWithdrawn }: WriteParts & WriteProgress,
): Promise<Outcome> {
  logger.info('an announced change is not sent', { why, ...sendingFields(resource, plan) });
  await store.saveStatus(announced, withdrawnStatus(resource.status, announced.status), { mustLand: true });
  onWithdrawn(announced);
  return { kind: 'postponed', againInMs: 0 };
}

/** Describes a write for the log, with paths and values as the status shows them. */
function sendingFields({ metadata }: DeploymentResource, plan: WritePlan): LogFields {
  const resource = `${metadata.namespace ?? ''}/${metadata.name}`;
  const about = { resource, generation: metadata.generation, operation: plan.kind };
  return plan.kind === 'patch' ? { ...about, id: plan.id, cause: plan.cause, changes: plan.changes } : about;
}
