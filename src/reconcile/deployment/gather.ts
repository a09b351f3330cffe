import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import { windowMs, writeShownMs } from '../../model/compare/assess.ts';
import type { KeyedHashes } from '../../model/recorded/digests.ts';
import {
  declaredName,
  desiredDeployment,
  type DesiredDeployment,
  type DesiredSecrets,
  identityOf,
} from '../../model/desired/desired-deployment.ts';
import type { Open } from '../../model/compare/judge-fields.ts';
import { wantsCreation } from '../../model/decide/creation.ts';
import { creationDueMs, isDeleting, mayHaveCreated } from '../../model/decide/deletion.ts';
import type { FoundRepository, Listed, ObservedProvider } from '../../model/external/inventory.ts';
import { newestKnown } from '../../model/external/newest-known.ts';
import { withDeclaredSource } from '../../model/decide/binding.ts';
import { isRolling } from '../../model/decide/recent-look.ts';
import type { Observation } from '../../model/external/observation.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority, ExternalClient, Freshness } from '../../ports/service/external-client.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import type { Claims } from './claims.ts';
import { providersFor, repositoryFor } from './providers-for.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import type { StaleLooks } from './stale-looks.ts';
import { priorityOf } from './priority-of.ts';

/** The parts that `decide` needs from outside. */
export interface DecideParts {
  readonly secrets: SecretReader;
  readonly digests: KeyedHashes;
  readonly clock: Clock;
  /** Returns other resources that are bound to a deployment of the service. */
  readonly rivals: (resource: DeploymentResource, deploymentID: string) => readonly DeploymentResource[];
  /** Returns other resources that want a deployment of this name at the same address, as far as addresses are known. */
  readonly creators: (resource: DeploymentResource, name: string) => readonly DeploymentResource[];
  readonly claims: Claims;
  /** Looks that do not count yet; absent for a command that looks only once. */
  readonly staleLooks?: StaleLooks | undefined;
  /** See `Situation`. */
  readonly holdUnprovenSecrets?: boolean | undefined;
  /** False for a command that looks once: no later rotation can be sent with the one that it sees. */
  readonly waitsForRotations?: boolean | undefined;
  /** True if a PATCH or a deletion must rest on a look that began with its pass. */
  readonly looksBeforeWriting?: (() => boolean) | undefined;
}

/** Memory of a resource between passes, in this process alone. */
export interface Remembered {
  /** The time at which the operator first saw a rotation that waits for further ones. */
  readonly rotationSeenMs?: number | undefined;
  /** See `Situation`. */
  readonly secretMissedMs?: number | undefined;
  /** See `Situation`. */
  readonly open?: Open | undefined;
  /** The time at which the operator first saw an announcement of another process. */
  readonly foundMs?: number | undefined;
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
  /** The newest revision that the previous pass saw, if the status at its beginning does not name it. */
  readonly unrecordedID?: string | undefined;
  /** The time at which the operator first saw an edit that it has not carried out yet. */
  readonly editSeenMs?: number | undefined;
  /** The time since which the connection is unusable, while the status does not say so. */
  readonly troubledMs?: number | undefined;
  /** The time at which the operator first saw the annotation reconcile-at. */
  readonly lookAskedMs?: number | undefined;
  /** The time at which an earlier decision of this pass was too old for its permit. */
  readonly passedUpMs?: number | undefined;
}

/** A resource to decide about, and its service. */
export interface Subject {
  readonly resource: DeploymentResource;
  readonly service: ExternalClient;
  readonly remembered: Remembered;
  /**
   * The time since which a deployment must be missing to count as absent. Default: derived from the resource and the
   * memory about it.
   */
  readonly missingSinceMs?: number;
}

/** The facts that are found before the first plan and stay valid for each later one. */
export interface Findings {
  readonly startedMs: number;
  readonly secrets: DesiredSecrets;
  readonly desired: DesiredDeployment;
  readonly priority: CallPriority;
  readonly first: Observation;
  /** The earliest time at which the first look may begin. */
  readonly freshMs: number;
  readonly repository: FoundRepository | undefined;
  readonly providers: Listed<ObservedProvider>;
  readonly namesake: Observation | undefined;
}

/** Resolves the secrets of a resource, looks at its deployment, and lists what a plan for it may need. */
export async function gather(subject: Subject, parts: DecideParts, signal: AbortSignal): Promise<Findings> {
  const { resource, service, remembered } = subject;
  const startedMs = parts.clock.now();
  const { missingSinceMs = lookedForSinceMs(subject, startedMs) } = subject;
  const deleting = isDeleting(resource);
  const secrets = deleting
    ? await secretsWhereReadable(resource, parts.secrets)
    : await resolveSecrets(resource, parts.secrets);
  const desired = desiredDeployment(resource.spec, deleting ? { kind: 'unmanaged' } : secrets);
  const priority = isAwaited(resource, service) ? 'user' : priorityOf(resource);
  const freshMs = Math.max(freshEnoughMs(resource, service, parts), remembered.lookAskedMs ?? 0);
  const fresh = { notOlderThanMs: freshMs, priority, missingSinceMs };
  const first = await look(subject, fresh, signal);
  const asking = { resource, service, clock: parts.clock };
  const repository = first.kind === 'absent' ? await repositoryFor(asking, signal) : undefined;
  const providers = await providersFor(asking, signal);
  const namesake = wantsNamesake(resource, first) ? await namesakeOf(subject, fresh, signal) : undefined;
  return { startedMs, secrets, desired, priority, first, freshMs, repository, providers, namesake };
}

/**
 * Returns the secrets of a resource that is being deleted. None of them is sent: they only serve to redact texts of the
 * service.
 */
async function secretsWhereReadable(
  resource: DeploymentResource,
  reader: SecretReader,
): Promise<DesiredSecrets> {
  try {
    return await resolveSecrets(resource, reader);
  } catch {
    // A deletion does not wait for a Secret that cannot be used.
    return { kind: 'missing', what: [], values: new Map() };
  }
}

/** Looks at the deployment of a resource. */
export async function look(
  { resource, service }: Pick<Subject, 'resource' | 'service'>,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation> {
  const identity = identityOf(resource);
  const shown = await proven((how) => service.observe(identity, how, signal), freshness);
  const seen = newestKnown(resource, shown);
  if (seen.kind !== 'present') return seen;
  return { ...seen, deployment: withDeclaredSource(resource, seen.deployment) };
}

/** Concludes absence only from two complete passes; one read is enough for anything else. */
async function proven(
  observe: (freshness: Freshness) => Promise<Observation>,
  freshness: Freshness,
): Promise<Observation> {
  const seen = await observe(freshness);
  if (seen.kind !== 'absent' || seen.proven) return seen;
  return observe({ ...freshness, proveAbsence: true });
}

/** True for a deployment that is gone and must be created again: the operator first looks for its name (H41). */
function wantsNamesake(resource: DeploymentResource, { kind }: Observation): boolean {
  return kind === 'absent' && resource.status?.deploymentID !== undefined && wantsCreation(resource);
}

async function namesakeOf(
  { resource, service }: Subject,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const name = declaredName(resource);
  if (name === undefined) return undefined;
  return proven((how) => service.observe({ by: 'name', name }, how, signal), freshness);
}

/**
 * Returns since when a deployment must be missing for a pass to count. An edit or a request of a person is a new
 * question. So is the outcome of a creation: first after its announcement, and again when the list must show it.
 */
function lookedForSinceMs({ resource, service, remembered }: Subject, nowMs: number): number {
  const { settings } = service;
  const { metadata, status } = resource;
  if (status === undefined) return 0;
  const asked = annotation(resource, 'reconcileAt');
  const isAskedFor = asked !== undefined && asked !== status.lastHandledReconcileAt;
  if (isAskedFor || status.observedGeneration !== metadata.generation) return nowMs;
  if (!mayHaveCreated(resource)) return 0;
  const dueMs = creationDueMs({ resource, settings, foundMs: remembered.foundMs });
  return nowMs < dueMs ? dueMs - windowMs(settings) : dueMs;
}

/**
 * Returns the time after which the look must have begun. The shared snapshot is enough while sweeps keep it current,
 * even if it shows that a rollout has ended. If sweeps stood still, as behind a suspended connection, no decision may
 * rest on it. A resource that is not settled for another reason needs its own read. A read that began before our last
 * write shows nothing of it. Once the window of that write is over, a read from within it is too old: it was judged
 * with caution, so the operator reads and judges again. An edit does not wait for that: its own write has a window,
 * too.
 */
function freshEnoughMs(
  resource: DeploymentResource,
  service: ExternalClient,
  { clock, staleLooks }: DecideParts,
): number {
  const { status } = resource;
  const notSettled = status?.conditions?.some(({ type }) => type === 'Reconciling') ?? false;
  const wantsOwn = (notSettled && !isRolling(resource)) || staleLooks?.has(resource) === true;
  const {
    settings: { poll },
    learning,
  } = service;
  const written = [status?.lastPatch, status?.pendingWrite].map((write) =>
    write === undefined ? 0 : Date.parse(write.time) + 1,
  );
  const owedMs = status?.deploymentID === undefined ? 0 : learning.owedSinceMs(status.deploymentID);
  const overMs = writeShownMs(resource, service.settings);
  const isOver = overMs <= clock.now() && priorityOf(resource) !== 'user';
  return Math.max(
    ...written,
    owedMs,
    isOver ? overMs : 0,
    clock.now() - (wantsOwn ? poll.rolloutMs / 2 : 2 * poll.intervalMs),
  );
}

/** True if other writes wait for the look at the effect of a write. */
function isAwaited({ status }: DeploymentResource, { learning }: ExternalClient): boolean {
  return status?.deploymentID !== undefined && learning.isAwaited(status.deploymentID);
}
