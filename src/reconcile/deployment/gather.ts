import type { DeploymentResource } from '../../api/deployment.ts';
import { type Digests, digestsFor, type KeyedHashes } from '../../model/recorded/digests.ts';
import {
  declaredName,
  desiredDeployment,
  type DesiredDeployment,
  type DesiredSecrets,
  type Identity,
} from '../../model/desired/desired-deployment.ts';
import type { Open } from '../../model/compare/judge-fields.ts';
import { withDeclaredSource } from '../../model/decide/binding.ts';
import { countedLook } from '../../model/decide/counted-look.ts';
import { shownAsApplied } from '../../model/recorded/masks.ts';
import { readApplied } from '../../model/recorded/baseline.ts';
import { wantsCreation } from '../../model/decide/creation.ts';
import { isDeleting } from '../../model/decide/deletion.ts';
import type { FoundRepository, Listed, ObservedProvider } from '../../model/external/inventory.ts';
import { type BeforeLooking, firstLook } from '../../model/decide/first-look.ts';
import type { Observation, ObservedDeployment } from '../../model/external/observation.ts';
import type { Situation } from '../../model/plan/situation.ts';
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
  /** See `Situation`. */
  readonly refilled?: ReadonlyMap<string, number> | undefined;
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
  readonly identity: Identity;
  readonly first: Look;
  readonly repository: FoundRepository | undefined;
  readonly providers: Listed<ObservedProvider>;
  readonly namesake: Observation | undefined;
}

/** One look at the deployment, and its request. */
export interface Look {
  readonly seen: Observation;
  readonly notOlderThanMs: number;
  /** True for the second read after the window of an announced write. */
  readonly secondRead?: boolean;
  /** See `Situation`. */
  readonly earlier?: ObservedDeployment | undefined;
  /** See `Situation`. */
  readonly provenBefore?: readonly string[];
}

/** Resolves the secrets of a resource, looks at its deployment, and lists what a plan for it may need. */
export async function gather(subject: Subject, parts: DecideParts, signal: AbortSignal): Promise<Findings> {
  const { resource, service } = subject;
  const startedMs = parts.clock.now();
  const deleting = isDeleting(resource);
  const secrets = deleting
    ? await secretsWhereReadable(resource, parts.secrets)
    : await resolveSecrets(resource, parts.secrets);
  const desired = desiredDeployment(resource.spec, deleting ? { kind: 'unmanaged' } : secrets);
  const { identity, ifGone, ...asked } = firstLook(beforeLooking(subject, startedMs, parts));
  const priority = isAwaited(resource, service) ? 'user' : priorityOf(resource);
  const fresh = { ...asked, priority, missingSinceMs: subject.missingSinceMs ?? asked.missingSinceMs };
  const first = await look({ service, identity }, { ...fresh, namesake: ifGone }, signal);
  const isGone = first.seen.kind === 'absent';
  const asking = { resource, service, clock: parts.clock };
  const repository = isGone ? await repositoryFor(asking, signal) : undefined;
  const providers = await providersFor(asking, signal);
  const again = isGone && ifGone ? await look({ service, identity: ifGone }, fresh, signal) : undefined;
  const namesake = again?.seen;
  return { startedMs, secrets, desired, priority, identity, first, repository, providers, namesake };
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

function beforeLooking(
  { resource, service, remembered }: Subject,
  startedMs: number,
  { clock, staleLooks }: DecideParts,
): BeforeLooking {
  const { settings, learning } = service;
  const id = resource.status?.deploymentID;
  return {
    ...{ resource, settings, startedMs, nowMs: clock.now() },
    foundMs: remembered.foundMs,
    lookAskedMs: remembered.lookAskedMs,
    owedSinceMs: id === undefined ? 0 : learning.owedSinceMs(id),
    isDoubted: staleLooks?.has(resource) === true,
  };
}

/** True if other writes wait for the look at the effect of a write. */
function isAwaited({ status }: DeploymentResource, { learning }: ExternalClient): boolean {
  return status?.deploymentID !== undefined && learning.isAwaited(status.deploymentID);
}

/** Looks for a deployment. */
export async function look(
  { service, identity }: { readonly service: ExternalClient; readonly identity: Identity },
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Look> {
  const seen = await proven((how) => service.observe(identity, how, signal), freshness);
  return { seen, notOlderThanMs: freshness.notOlderThanMs };
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

/**
 * Takes a look into account, and collects all facts for a plan on it. The facts include what the service has taught up
 * to this look, and with it.
 */
export function situationOn(
  { seen, secondRead = false, earlier, provenBefore }: Look,
  about: Subject & Findings,
  parts: DecideParts,
): Situation {
  const { resource, service, desired, remembered, repository, providers, namesake } = about;
  const { learning, settings } = service;
  const { holdUnprovenSecrets, clock, staleLooks, waitsForRotations } = parts;
  const id = idIn(seen);
  const digests = digestsFor(resource, parts.digests);
  if (id !== undefined) seeSwept(id, { resource, service, desired }, digests);
  const plainLists = service.plainLists(id);
  const inherited = id !== undefined && !learning.wroteTo(id);
  const written = id === undefined ? undefined : learning.outranking(id);
  const observation = countedLook(seen, { resource, desired, written, inherited });
  const doubtMs = isDeleting(resource) ? undefined : staleLooks?.doubtMs(resource, observation);
  if (id !== undefined && doubtMs === undefined) learning.see(id, observation);
  const { learned, secretsPlain, trial } = learning;
  return {
    ...{ resource, desired, observation, doubtMs, settings, ...service.knowledge, plainLists },
    ...{ rivals: id === undefined ? [] : parts.rivals(resource, id), creators: creatorsFor(resource, parts) },
    ...{ learned, secretsPlain, trial, inherited },
    written: id === undefined ? undefined : learning.written(id),
    pioneers: id !== undefined && learning.pioneers(id),
    listed: listedOf(resource, observation, service),
    ...remembered,
    ...(waitsForRotations === false && { rotationSeenMs: 0 }),
    ...{ repository, providers, namesake, secondRead, earlier, provenBefore, holdUnprovenSecrets },
    digests,
    nowMs: clock.now(),
  };
}

/**
 * Takes the newest sweep as proof of plain values if it shows a value of the deployment as applied: after a restart, the
 * first look of a resource may be newer than that sweep, and show an edit made in between.
 */
function seeSwept(
  id: string,
  { resource, service, desired }: Pick<Subject & Findings, 'resource' | 'service' | 'desired'>,
  digests: Digests,
): void {
  const { learning } = service;
  const isKnown = service.plainLists(id).seen.length > 0;
  if (isKnown || learning.learned.secretsVisibility?.verdict !== 'Plain') return;
  const shown = service.swept(id)?.secrets ?? [];
  const names = shown.map(({ name }) => name);
  const applied = readApplied(
    resource.status,
    resource.metadata.generation ?? 0,
    desired.secrets,
    names,
    digests,
  );
  const ours = shownAsApplied(shown, applied.secrets, digests);
  if (ours.size > 0) learning.sawApplied(id, shown, ours);
}

function idIn(observation: Observation): string | undefined {
  return observation.kind === 'present' ? observation.deployment.id : undefined;
}

/** Returns the view of a deployment in lists; the answer to a write may show more. */
function listedOf(
  resource: DeploymentResource,
  observation: Observation,
  service: ExternalClient,
): ObservedDeployment | undefined {
  if (observation.kind !== 'present') return undefined;
  const { via, deployment } = observation;
  if (via === 'list') return deployment;
  const listed = service.listed(deployment.id);
  return listed && withDeclaredSource(resource, listed);
}

function creatorsFor(resource: DeploymentResource, { creators }: DecideParts): readonly DeploymentResource[] {
  const name = declaredName(resource);
  return name === undefined || !wantsCreation(resource) ? [] : creators(resource, name);
}
