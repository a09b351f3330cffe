import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { Listed, ObservedProvider, ObservedRepository } from '../../model/external/inventory.ts';
import type {
  Observation,
  ObservedDeployment,
  ObservedSecret,
  WriteAnswer,
} from '../../model/external/observation.ts';
import type { Identity } from '../../model/desired/desired-deployment.ts';
import type { CreateBody, Level, PatchBody } from '../../model/external/patch-body.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import type { Written } from '../../model/effects/effect-of.ts';
import type { Learned } from '../../model/effects/learned.ts';

/** Order of calls in the rate-limited queue, most urgent first. */
export type CallPriority = 'user' | 'rollout' | 'resync';

/** On whose behalf a call is made, and how urgent it is: of equal urgency, namespaces take turns. */
export interface Caller {
  readonly priority: CallPriority;
  /** The namespace of the resource; '' for what is done for all of them. */
  readonly namespace: string;
  /** So many more urgent calls may go before it; absent: as many as the queue lets pass. */
  readonly patience?: number | undefined;
}

/**
 * A permit that was declined when it was offered, and the turn that is kept for the pass that returns for the next
 * one.
 */
export interface PassedUp {
  readonly kind: 'passed up';
  /** When it was offered, in milliseconds of our own clock. */
  readonly atMs: number;
  readonly priority: CallPriority;
  readonly turn: number;
}

/** A caller that may have changed its mind by the time when it is its turn. */
export interface HesitantCaller extends Caller {
  /** Asked when there is a permit: where the answer is false, the permit is the next caller's and costs nothing. */
  readonly wants?: () => boolean;
  /** The turn that it comes back to. */
  readonly kept?: PassedUp | undefined;
}

/** The sightings of a connection so far, without values. */
export interface ServiceKnowledge {
  /** Some deployment of the connection has shown a non-empty list of secrets (H3). */
  readonly secretsListed: boolean;
  /** Some deployment of the connection has shown a resource spec, so that a missing one is an empty one (N31). */
  readonly resourceSpecsListed: boolean;
  /** Paths of fields that some list has shown since the start, be it as null (N31). */
  readonly listedPaths: ReadonlySet<string>;
}

/** How recent an observation must be, and how urgent it is to get it. */
export interface Freshness {
  /** The pass must have begun at or after this time, by our own clock in milliseconds. */
  readonly notOlderThanMs: number;
  readonly priority: CallPriority;
  /** Ask for two complete passes before absence is concluded. */
  readonly proveAbsence?: boolean;
  /**
   * Passes that began before count for nothing where the deployment is missing. A question that no pass since then was
   * looked at for is a new one, and has two passes at once; those who go on waiting share one in a poll interval (R6),
   * so that the finding about a missing deployment may be older than asked for.
   */
  readonly missingSinceMs?: number;
  /** A permit is waited for next: one call for this deployment alone is better than a sweep, however short. */
  readonly oneCall?: boolean;
}

/** A PATCH, and the deployment as it was shown when it was decided: what is seen afterwards is judged against it. */
export interface Asked {
  readonly before: ObservedDeployment;
  /** The deployment as a list showed it last. */
  readonly listed?: ObservedDeployment | undefined;
  readonly body: PatchBody;
  /** The part of the body that corrects drift. */
  readonly corrected?: PatchBody | undefined;
  /** Values of all secrets of the resource, also where the body has none: the text of an error may repeat them. */
  readonly known?: readonly SecretValue[];
  /** The name of the request in logs, also in those of the service; one is made up where it is absent. */
  readonly requestID?: string;
}

/**
 * The service, for one connection. Failures are thrown as FailureError or ConnectionError; their `sent` says
 * whether a write may have been applied. A write is sent exactly once and never retried in here.
 */
export interface ExternalClient {
  readonly settings: ConnectionSettings;
  readonly knowledge: ServiceKnowledge;
  /** The lessons of our own writes about the service. */
  readonly learning: Learning;
  /**
   * Returns the deployment as the service shows it. Answers from the shared snapshot if that is recent
   * enough, else requests a sweep. For request timeout + consistency window after a write of ours, the answer
   * to that write is the observation unless a later read agrees with it (N30).
   */
  observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation>;
  /** True where the newest list shows a secret of another deployment than this one as we applied it. */
  showsAppliedBeside(id: string): boolean;
  /** Returns a deployment as the newest list shows it. */
  listed(id: string): ObservedDeployment | undefined;
  /** OAuth providers (4.1) from a list that was read at or after a time; one call serves all who ask. */
  providers(notOlderThanMs: number, signal: AbortSignal): Promise<Listed<ObservedProvider>>;
  /** Repositories of a code-host integration (4.2), likewise; none where there is no such integration. */
  repositories(
    integrationID: string,
    notOlderThanMs: number,
    signal: AbortSignal,
  ): Promise<Listed<ObservedRepository>>;
  /**
   * Runs `task` when the rate-limited queue grants a permit, unless the caller does not want it any more by then. The
   * write inside must be the one the permit is for.
   */
  withPermit<T>(caller: HesitantCaller, task: () => Promise<T>, signal: AbortSignal): Promise<T | PassedUp>;
  /** True while the service has asked for a pause: what has its permit already must not begin either. */
  readonly isPaused: boolean;
  /** True where a list that is being read has shown since a moment that a deployment is another than the list before had it. */
  movedSince(id: string, sinceMs: number): boolean;
  /** PATCH /v2/deployments/{id} (4.4), inside `withPermit`. */
  patch(id: string, asked: Asked, signal: AbortSignal): Promise<WriteAnswer>;
  /** POST /v2/deployments (section 1), inside `withPermit`. */
  create(body: CreateBody, signal: AbortSignal, requestID?: string): Promise<WriteAnswer>;
  /** DELETE /v2/deployments/{id}, inside `withPermit`; 'gone' for 404 and 410. */
  remove(before: ObservedDeployment, signal: AbortSignal, requestID?: string): Promise<'accepted' | 'gone'>;
}

/**
 * A finding about a service: a lesson that the connection's status remembers, a sighting of this process alone, or the
 * end of the watch over a first write, with the deployments whose writes waited for that.
 */
export type News =
  { readonly kind: 'lesson' | 'seen' } | { readonly kind: 'watched'; readonly waiting: readonly string[] };

/** The verdicts of a connection about its service, with the memory they are learned from. */
export interface Learning {
  readonly learned: Learned;
  /** True when a value that we sent came back exactly, in this process: only then values may be compared. */
  readonly secretsPlain: boolean;
  /**
   * Where the next body may leave something out although the service is believed to empty it: after some whole bodies, so
   * that a belief that is wrong can be seen to be wrong. Undefined where it may not.
   */
  readonly trial: ReadonlySet<Level> | undefined;
  /** Remembers a PATCH that was answered. */
  wrote(id: string, written: Written): void;
  /** A write that was allowed came to nothing. */
  abandoned(id: string): void;
  /** True where this process wrote to a deployment: what it left out then is remembered here. */
  wroteTo(id: string): boolean;
  /** A key that a write of an earlier process left out is gone. */
  foundLoss(id: string): void;
  /** The newest PATCH to a deployment whose effect has not been seen in the list yet. */
  written(id: string): Written | undefined;
  /** Secrets of ours are shown as they were applied. */
  sawApplied(id: string, secrets: readonly ObservedSecret[]): void;
  /** Values that were shown as they are look masked now: none is believed until a write proves it again. */
  sawMasks(id: string): void;
  /**
   * The time at which a read of the list must have begun, at the earliest, to show the effect of omitted
   * fields; 0 if no such read is due.
   */
  owedSinceMs(id: string): number;
  /** Takes an observation into account; only a list that was read after a write teaches something of it. */
  see(id: string, observation: Observation): void;
  /** True while the connection's behaviour is unknown and no write to another deployment is being watched to learn it. */
  pioneers(id: string): boolean;
  /** True for a deployment whose first write is being watched: the writes of others wait for what a look shows of it. */
  isAwaited(id: string): boolean;
  /**
   * Asks to send a body. False while the first write on a connection of unknown behaviour is being watched, and this
   * one has something to lose.
   */
  mayWrite(id: string, observation: Observation, body: PatchBody): boolean;
}
