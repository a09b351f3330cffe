import type { ConnectionSettings } from '../model/connection.ts';
import type { Identity, Observation, WriteAnswer } from '../model/observation.ts';
import type { CreateBody, PatchBody } from '../model/patch-body.ts';

/** Order of calls in the rate-limited queue, most urgent first. */
export type CallPriority = 'user' | 'rollout' | 'resync';

/** What a connection has shown so far, without values. */
export interface ServiceKnowledge {
  /** Some deployment of the connection has shown a non-empty list of secrets (H3). */
  readonly secretsListed: boolean;
}

/** How recent an observation must be, and how urgent it is to get it. */
export interface Freshness {
  /** The pass must have begun at or after this time, by our own clock in milliseconds. */
  readonly notOlderThanMs: number;
  readonly priority: CallPriority;
  /** Ask for two complete passes before absence is concluded. */
  readonly proveAbsence?: boolean;
}

/**
 * The service, for one connection. Failures are thrown as FailureError or ConnectionError; their `sent` says
 * whether a write may have been applied. A write is sent exactly once and never retried in here.
 */
export interface ExternalClient {
  readonly settings: ConnectionSettings;
  readonly knowledge: ServiceKnowledge;
  /**
   * What the service says exists. Answers from the shared snapshot where it is recent enough, else asks for a
   * sweep. For request timeout + consistency window after a write of ours, the answer to that write is the
   * observation unless a later read agrees with it (N30).
   */
  observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation>;
  /** Runs `task` when the rate-limited queue grants a permit. The write inside must be the one the permit is for. */
  withPermit<T>(priority: CallPriority, task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** PATCH /v2/deployments/{id} (4.4), inside `withPermit`. */
  patch(id: string, body: PatchBody, signal: AbortSignal): Promise<WriteAnswer>;
  /** POST /v2/deployments (section 1), inside `withPermit`. */
  create(body: CreateBody, signal: AbortSignal): Promise<WriteAnswer>;
  /** DELETE /v2/deployments/{id}, inside `withPermit`; 'gone' for 404 and 410. */
  remove(id: string, signal: AbortSignal): Promise<'accepted' | 'gone'>;
}
