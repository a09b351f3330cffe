import type { PlainLists } from '../../model/recorded/masks.ts';
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

/** The urgency of a call in the rate-limited queue: user, rollout, resync, the most urgent first. */
export type CallPriority = 'user' | 'rollout' | 'resync';

/** The namespace that a call is made for, and its urgency. Among calls of equal urgency, namespaces take turns. */
export interface Caller {
  readonly priority: CallPriority;
  /** The namespace of the resource, or '' for calls that serve all resources. */
  readonly namespace: string;
  /** The number of more urgent calls that may overtake the call. Default: the limit of the queue. */
  readonly patience?: number | undefined;
}

/** A declined permit, with the turn that is kept for the pass that returns for the next permit. */
export interface PassedUp {
  readonly kind: 'passed up';
  /** The time of the offer, in milliseconds of our own clock. */
  readonly atMs: number;
  readonly priority: CallPriority;
  readonly turn: number;
}

/** A caller that may no longer want its permit when the permit is granted. */
export interface HesitantCaller extends Caller {
  /** Called when a permit is available. If it returns false, the next caller gets the permit at no cost. */
  readonly wants?: () => boolean;
  /** The kept turn to which the caller returns. */
  readonly kept?: PassedUp | undefined;
}

/** The facts that the lists of a connection have shown so far, without values. */
export interface ServiceKnowledge {
  /** True if some deployment of the connection has shown a non-empty list of secrets (H3). */
  readonly secretsListed: boolean;
  /**
   * True if some deployment of the connection has shown a resource spec, so that a missing one is an empty one (N31).
   */
  readonly resourceSpecsListed: boolean;
  /** The paths of fields that some list has shown since the start, even as null (N31). */
  readonly listedPaths: ReadonlySet<string>;
}

/** The required age of an observation, and the urgency of getting it. */
export interface Freshness {
  /** The sweep must have begun at or after this time, by our own clock in milliseconds. */
  readonly notOlderThanMs: number;
  readonly priority: CallPriority;
  /** True if two complete sweeps must prove that a deployment is absent. */
  readonly proveAbsence?: boolean;
  /**
   * Sweeps that began before this time do not count as evidence of absence. A question that no later sweep has examined
   * is new and triggers two sweeps at once. Repeated questions share one sweep per poll interval (R6), so the evidence
   * about a missing deployment may be older than requested.
   */
  readonly missingSinceMs?: number;
  /** The name that the caller looks for next if the deployment is absent; the same sweeps then examine both. */
  readonly namesake?: Identity | undefined;
  /**
   * True if the caller waits for a permit next: one call for this deployment alone is then better than a sweep, however
   * short.
   */
  readonly oneCall?: boolean;
}

/** A PATCH and the deployment on which its decision was based. Later observations are compared with that. */
export interface Asked {
  readonly before: ObservedDeployment;
  /** The deployment as the latest list showed it. */
  readonly listed?: ObservedDeployment | undefined;
  readonly body: PatchBody;
  /**
   * The bodies of earlier writes of ours that no look has shown, newest first: the answer may show their state. The body
   * of another process is not known, and stands here without any part.
   */
  readonly unproven?: readonly PatchBody[] | undefined;
  /** The fields that lists hide and whose values the service may have had before. */
  readonly mayBeThere?: readonly string[] | undefined;
  /** The part of the body that corrects drift. */
  readonly corrected?: PatchBody | undefined;
  /** Fields that an earlier write emptied, as the spec asks. */
  readonly emptied?: readonly string[] | undefined;
  /** Fields that somebody else had changed before, as the policy only reports. */
  readonly reported?: readonly string[] | undefined;
  /** See `Situation`. */
  readonly listedPaths?: ReadonlySet<string> | undefined;
  /** The values of all secrets of the resource, even if the body has none: an error text may repeat them. */
  readonly known?: readonly SecretValue[];
  /** The ID of the request in our logs and those of the service. Generated if absent. */
  readonly requestID?: string;
}

/**
 * Calls the service for one connection. Throws failures as FailureError or ConnectionError; their `sent` says whether a
 * write may have been applied. Sends a write exactly once and never retries it.
 */
export interface ExternalClient {
  readonly settings: ConnectionSettings;
  readonly knowledge: ServiceKnowledge;
  /** The lessons that our own writes have taught about the service. */
  readonly learning: Learning;
  /**
   * Returns the deployment as the service shows it. Uses the shared snapshot if that is recent enough, and otherwise
   * requests a sweep. For request timeout + consistency window after a write of ours, returns the answer to that write,
   * unless a later read agrees with it (N30).
   */
  observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation>;
  /** Returns which lists show values unchanged; without an id, of no deployment in particular. */
  plainLists(id: string | undefined): PlainLists;
  /** Returns a deployment as the newest list shows it. */
  listed(id: string): ObservedDeployment | undefined;
  /** Returns a deployment as the newest sweep shows it; a read of that deployment alone does not count. */
  swept(id: string): ObservedDeployment | undefined;
  /**
   * Returns the OAuth providers (4.1) from a list that was read at or after a time. Concurrent callers share one call.
   */
  providers(notOlderThanMs: number, signal: AbortSignal): Promise<Listed<ObservedProvider>>;
  /**
   * Returns the repositories of a code-host integration (4.2) in the same way, or none if the integration does not
   * exist.
   */
  repositories(
    integrationID: string,
    notOlderThanMs: number,
    signal: AbortSignal,
  ): Promise<Listed<ObservedRepository>>;
  /**
   * Runs `task` when the rate-limited queue grants a permit, unless the caller no longer wants it. The write inside
   * must be the one that the permit is for.
   */
  withPermit<T>(caller: HesitantCaller, task: () => Promise<T>, signal: AbortSignal): Promise<T | PassedUp>;
  /** True while the service has asked for a pause. Calls that already have a permit must then wait too. */
  readonly isPaused: boolean;
  /**
   * The milliseconds from one permit to the next while calls wait: longer than configured after the service refused
   * calls.
   */
  readonly apartMs: number;
  /** True if a page of the list has shown, since this time, a deployment that differs from the previous sweep. */
  movedSince(id: string, sinceMs: number): boolean;
  /** The same for a whole sweep that began later and has ended. */
  sweptSince(id: string, sinceMs: number): boolean;
  /** Sends PATCH /v2/deployments/{id} (4.4). Call it inside `withPermit`. */
  patch(id: string, asked: Asked, signal: AbortSignal): Promise<WriteAnswer>;
  /** Sends POST /v2/deployments (section 1). Call it inside `withPermit`. */
  create(body: CreateBody, signal: AbortSignal, requestID?: string): Promise<WriteAnswer>;
  /** Sends DELETE /v2/deployments/{id}. Call it inside `withPermit`. Returns 'gone' for 404 and 410. */
  remove(before: ObservedDeployment, signal: AbortSignal, requestID?: string): Promise<'accepted' | 'gone'>;
}

/**
 * A finding about a service: a lesson that the status of the connection remembers, a fact that only this process
 * remembers, a list whose items can all be read again, or the end of the watch over a first write, with the deployments
 * whose writes waited for it.
 */
export type News =
  | { readonly kind: 'lesson' | 'seen' | 'readable' }
  | { readonly kind: 'watched'; readonly waiting: readonly string[] };

/** Collects the lessons of a connection about its service, and the evidence for them. */
export interface Learning {
  readonly learned: Learned;
  /** True if this process has seen a value that we sent come back unchanged. Only then may values be compared. */
  readonly secretsPlain: boolean;
  /**
   * The levels at which the next body may omit parts, although the service is believed to empty them. Set after some
   * full bodies, so that a wrong belief can be disproved. Undefined if the next body must be full.
   */
  readonly trial: ReadonlySet<Level> | undefined;
  /**
   * Remembers a PATCH that was answered. `shown` is the deployment in the answer, also if that may be the state before the
   * write.
   */
  wrote(id: string, written: Written, shown?: ObservedDeployment): void;
  /** Records that a permitted write was not made. */
  abandoned(id: string): void;
  /** True if this process wrote to a deployment, so that it remembers the omitted parts. */
  wroteTo(id: string): boolean;
  /** Records the loss of a key that a write of an earlier process omitted. */
  foundLoss(id: string): void;
  /** Records that a deployment lacks values for good: the service may show its defaults in their place. */
  foundUnrestored(id: string): void;
  /** Returns the newest PATCH to a deployment whose effect the list has not shown yet. */
  written(id: string): Written | undefined;
  /** Returns the write whose answer may outrank lists: the one above, or the last one that such a list has shown. */
  outranking(id: string): Written | undefined;
  /** Records a list that shows some of our secrets, which have these names, as they were applied. */
  sawApplied(id: string, secrets: readonly ObservedSecret[], ours: ReadonlySet<string>): void;
  /** Records a list that shows the secrets of an announced write as sent, one of them for the first time. */
  sawSent(id: string): void;
  /** Records that values which were shown in plain now look masked: none is trusted until a write proves it again. */
  sawMasks(id: string): void;
  /**
   * Returns the earliest time at which a read of the list must begin to show the effect of omitted fields, or 0 if no
   * such read is due.
   */
  owedSinceMs(id: string): number;
  /** Takes an observation into account. Only a list that was read after a write yields a lesson about that write. */
  see(id: string, observation: Observation): void;
  /**
   * True while the behaviour of the connection is unknown and no first write to another deployment is being watched.
   */
  pioneers(id: string): boolean;
  /** True for a deployment whose first write is being watched: other writes wait for its result. */
  isAwaited(id: string): boolean;
  /**
   * Asks for permission to send a body. Returns false while the first write on a connection of unknown behaviour is
   * being watched and this body could lose something.
   */
  mayWrite(id: string, observation: Observation, body: PatchBody): boolean;
}
