import type { ConnectionResource } from '../../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import { type Key, keyText } from '../../../../src/api/metadata.ts';
import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { Exchanged } from '../chronicle.ts';
import { type Facts, leafOf, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import { alike, leavesOfBody, leavesOfContent } from '../leaves.ts';

const RULE = 'a reason ends within two poll intervals of what ends it';

/** The field of stories that a service may refuse to change. */
const REPOSITORY = 'source_config.repo_url';

const LATE_MS = 2 * TIMES.pollMs;

/** A reason in a status, with its first and last time. */
interface Span {
  readonly key: string;
  readonly reason: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly object: DeploymentResource;
}

/** Returns when the documented end of a reason occurred while the status had it, or undefined if it did not. */
type End = (facts: Facts, span: Span) => number | undefined;

/** Reasons that end by themselves, and the longest time until that after the last request. */
const PASSING_MS: Readonly<Record<string, number>> = {
  OutcomeUnknown: 2 * TIMES.windowMs,
  Sent: 2 * TIMES.windowMs,
  CreatePending: 3 * TIMES.windowMs,
  NotVisibleYet: 3 * TIMES.windowMs,
};

const ENDS: Readonly<Record<string, End>> = {
  ConnectionNotReady: connectionIsReady,
  ConnectionNotFound: connectionIsReady,
  UnmanagedSecretsPresent: foreignSecretsAreGone,
  SecretVisibilityUnproven: secretsWereListed,
  ImmutableFieldChanged: specWasEdited,
};

/** Finds reasons that stay although their end has occurred. */
export function stuckReasons(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key) =>
    spansOf(facts, key).flatMap((span): readonly Finding[] => {
      const endMs = ENDS[span.reason]?.(facts, span) ?? passed(facts, span);
      if (endMs === undefined) return [];
      // A dead process ends nothing before its restart.
      const aliveMs = facts.chronicle.lastStartMs(endMs, span.untilMs);
      if (span.untilMs - aliveMs <= LATE_MS) return [];
      const lateS = Math.round((span.untilMs - endMs) / 1000);
      const text = `${key} says ${span.reason} ${lateS} s after its end`;
      return [{ rule: RULE, atMs: endMs, text, excuse: excuseFor(facts, span, endMs) }];
    }),
  );
}

function excuseFor(facts: Facts, span: Span, endMs: number): ExcuseName | undefined {
  if (span.reason === 'UnmanagedSecretsPresent') return excuseForSecrets(facts, span, endMs);
  return span.reason === 'ImmutableFieldChanged' ? excuseForRefusal(facts, span) : undefined;
}

/** Returns the excuse if a list that began after the window, and ended shortly before the reason, shows foreign secrets. */
function excuseForSecrets(facts: Facts, { object, untilMs }: Span, endMs: number): ExcuseName | undefined {
  const isForeign = foreignSecretsOf(object);
  const late = facts
    .looksAt(object.status?.deploymentID ?? '')
    .filter(({ via, beganMs }) => via === 'list' && beganMs >= endMs + TIMES.windowMs)
    .findLast(({ endedMs, leaves }) => endedMs <= untilMs && [...leaves.keys()].some(isForeign));
  return late && untilMs - late.endedMs <= LATE_MS ? 'a list lags beyond the window' : undefined;
}

/**
 * Returns the excuse for a field that a service may refuse to change: the answer to the newest request for it shows
 * another value, and no list shows the field. The answer may show the state before the request.
 */
function excuseForRefusal(facts: Facts, { object, untilMs }: Span): ExcuseName | undefined {
  const id = object.status?.deploymentID ?? '';
  const asked = facts
    .dealtWith('patch')
    .findLast((one) => one.id === id && one.dealtMs <= untilMs && leavesOfBody(one.body).has(REPOSITORY));
  const looks = facts.looksAt(id).filter(({ endedMs }) => endedMs <= untilMs);
  const answer = looks.find(({ via, request }) => via === 'answer' && request === asked?.number);
  if (asked === undefined || answer?.leaves.has(REPOSITORY) !== true) return undefined;
  const isListed = looks.some(({ via, leaves }) => via === 'list' && leaves.has(REPOSITORY));
  const isAsAsked = alike(answer.leaves.get(REPOSITORY), leavesOfBody(asked.body).get(REPOSITORY));
  return isListed || isAsAsked ? undefined : 'no look shows the value as it is kept';
}

function spansOf(facts: Facts, key: string): readonly Span[] {
  const versions = facts.versionsOf(key);
  const spans: Span[] = [];
  for (const [at, { atMs, object }] of versions.entries()) {
    const reason = object?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
    if (object === undefined || reason === undefined) continue;
    const untilMs = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
    const last = spans.at(-1);
    if (last?.reason === reason && last.untilMs === atMs) spans.splice(-1, 1, { ...last, untilMs, object });
    else spans.push({ key, reason, fromMs: atMs, untilMs, object });
  }
  return spans;
}

function passed(facts: Facts, { reason, fromMs, untilMs, object }: Span): number | undefined {
  const withinMs = PASSING_MS[reason];
  if (withinMs === undefined) return undefined;
  const id = object.status?.deploymentID;
  const moments = facts.exchanges
    .filter(({ operation, faults, status, ...request }) => {
      const own = request.id === id && ['patch', 'create', 'delete'].includes(operation);
      return own || operation === 'create' || faults.length > 0 || (status ?? 500) >= 400;
    })
    .map(({ beganMs }) => beganMs)
    .filter((ms) => ms >= fromMs && ms <= untilMs);
  // A process that starts waits a whole window for the announcement of an earlier process.
  const lateFaults = [...facts.chronicle.acts.map(({ atMs }) => atMs), ...facts.chronicle.startsMs].filter(
    (ms) => ms >= fromMs && ms <= untilMs,
  );
  return Math.max(fromMs, ...moments, ...lateFaults, ...provenAgain(facts, fromMs, untilMs)) + withinMs;
}

/**
 * The longest interval of looks for a missing deployment while lists prove nothing. The interval grows to ten minutes.
 */
const RAREST_LOOK_MS = 600_000;

/**
 * Returns when the next look is due after the end of a temporary switch, which may have kept lists from proving
 * anything.
 */
function provenAgain({ chronicle }: Facts, fromMs: number, toMs: number): readonly number[] {
  return chronicle.switchedMs
    .filter((span) => span.fromMs < toMs && span.untilMs > fromMs && Number.isFinite(span.untilMs))
    .map((span) => {
      const lastedMs = span.untilMs - Math.max(span.fromMs, fromMs);
      return span.untilMs + Math.min(Math.max(TIMES.pollMs, lastedMs), RAREST_LOOK_MS);
    });
}

/** Returns the time since which the connection of the resource is Ready. */
function connectionIsReady(facts: Facts, { object, fromMs, untilMs }: Span): number | undefined {
  for (const reference of connectionReferences(object)) {
    const text = keyText(reference);
    const versions = facts.chronicle.connections.filter(({ key }) => keyText(key) === text);
    const last = versions.findLast(({ atMs }) => atMs <= untilMs);
    if (last?.object === undefined) continue;
    if (!isReady(last.object)) return undefined;
    const notReady = versions.findLast(
      ({ atMs, object: seen }) => atMs <= untilMs && (seen === undefined || !isReady(seen)),
    );
    const since = versions.find(({ atMs }) => atMs > (notReady?.atMs ?? -1))?.atMs ?? 0;
    return Math.max(since, fromMs);
  }
  return undefined;
}

/** Returns the connections that a resource names, or else `default` of its namespace and then that of the cluster. */
function connectionReferences({ metadata, spec }: DeploymentResource): readonly Key[] {
  const { kind, name = 'default' } = spec.connectionRef ?? {};
  const ofCluster = { kind: 'ClusterConnection', namespace: '', name };
  const beside = { kind: 'Connection', namespace: metadata.namespace ?? '', name };
  if (kind === 'ClusterConnection') return [ofCluster];
  return spec.connectionRef === undefined ? [beside, ofCluster] : [beside];
}

function isReady({ status }: ConnectionResource): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** Returns the time since which the service has no secret that the resource does not declare. */
function foreignSecretsAreGone(facts: Facts, { object, fromMs, untilMs }: Span): number | undefined {
  const id = object.status?.deploymentID;
  if (id === undefined || object.spec.secretsFrom !== undefined) return undefined;
  const isOfOthers = foreignSecretsOf(object);
  const isForeign = (atMs: number): boolean => {
    const state = facts.chronicle.stateAt(id, atMs);
    return state !== undefined && [...leavesOfContent(state.content).keys()].some(isOfOthers);
  };
  if (isForeign(untilMs - 1)) return undefined;
  const removed = facts.changesOf(id).findLast(({ atMs }) => atMs < untilMs);
  return Math.max(fromMs, removed?.atMs ?? fromMs);
}

/** Returns a test for the paths of secrets that a resource does not declare. */
function foreignSecretsOf({ spec }: DeploymentResource): (path: string) => boolean {
  const ours = new Set((spec.secrets ?? []).map(({ name }) => `secrets.${name}`));
  return (path) => path.startsWith('secrets.') && !ours.has(path);
}

/** Returns the time of the first list that showed a secret of any deployment. */
function secretsWereListed(facts: Facts, { fromMs, object }: Span): number | undefined {
  const message = object.status?.conditions?.find(({ type }) => type === 'Synced')?.message ?? '';
  if (!message.includes('has never listed a secret')) return undefined;
  const ids = [...new Set(facts.chronicle.service.deployments().map(({ id }) => id))];
  const seen = ids
    .flatMap((id) => facts.looksAt(id))
    .filter(
      ({ via, leaves }) => via === 'list' && [...leaves.keys()].some((path) => path.startsWith('secrets.')),
    )
    .map(({ endedMs }) => endedMs);
  return seen.length === 0 ? undefined : Math.max(fromMs, Math.min(...seen));
}

/**
 * Returns the time at which a person edited the spec after the service refused a request that changed the repository
 * and something else. The other part may have been wrong, and the edit may have corrected it.
 */
function specWasEdited(facts: Facts, { key, object, fromMs, untilMs }: Span): number | undefined {
  const id = object.status?.deploymentID;
  const refusals = facts.exchanges.filter(
    ({ operation, status, beganMs, body, ...request }) =>
      operation === 'patch' &&
      request.id === id &&
      beganMs <= untilMs &&
      [400, 422].includes(status ?? 0) &&
      leavesOfBody(body).has(REPOSITORY) &&
      !isKnownToBeKept(facts, { id: request.id, beganMs }, leavesOfBody(body).get(REPOSITORY)),
  );
  const refused = refusals.at(-1);
  if (refused === undefined || changesAlone(facts, refused)) return undefined;
  // A later request that puts the old repository back says nothing about the declared one.
  const declared = object.spec.sourceConfig?.repoURL;
  const isOfDeclared = ({ body }: Exchanged): boolean =>
    declared !== undefined && alike(leavesOfBody(body).get(REPOSITORY), declared);
  if (!isOfDeclared(refused) && refusals.some((one) => isOfDeclared(one) && changesAlone(facts, one)))
    return undefined;
  const generation = facts.versionAt(key, refused.beganMs)?.object?.metadata.generation;
  const edited = facts
    .versionsOf(key)
    .find((version) => version.atMs > refused.beganMs && version.object?.metadata.generation !== generation);
  return edited === undefined || edited.atMs > untilMs ? undefined : Math.max(fromMs, edited.atMs);
}

/**
 * True if the service already had all other parts of a request, showed them last, or accepted them before, so that they
 * cannot be the wrong part.
 */
function changesAlone(facts: Facts, request: Exchanged): boolean {
  const looks = facts.looksAt(request.id).filter(({ endedMs }) => endedMs <= request.beganMs);
  const isShown = (path: string, value: WireJson): boolean =>
    alike(value, looks.findLast(({ leaves }) => leaves.has(path))?.leaves.get(path));
  const taken = facts.exchanges
    .filter(({ id, operation, status }) => id === request.id && operation === 'patch' && status === 200)
    .filter(({ beganMs }) => beganMs < request.beganMs)
    .map(({ body }) => leavesOfBody(body));
  const wasTaken = (path: string, value: WireJson): boolean =>
    taken.some((leaves) => leaves.has(path) && alike(value, leaves.get(path)));
  return [...leavesOfBody(request.body)].every(
    ([path, value]) =>
      path === REPOSITORY ||
      isKept(facts, request, path, value) ||
      isShown(path, value) ||
      wasTaken(path, value),
  );
}

/** True if the service stored a repository when a request began, and a list had shown one. */
function isKnownToBeKept(
  facts: Facts,
  request: Pick<Exchanged, 'id' | 'beganMs'>,
  value: WireJson | undefined,
): boolean {
  const wasShown = facts
    .looksAt(request.id)
    .some(
      ({ via, endedMs, leaves }) => via === 'list' && endedMs <= request.beganMs && leaves.has(REPOSITORY),
    );
  return wasShown && isKept(facts, request, REPOSITORY, value);
}

/** True if the service stored a value when a request began. */
function isKept(
  facts: Facts,
  { id, beganMs }: Pick<Exchanged, 'id' | 'beganMs'>,
  path: string,
  value: WireJson | undefined,
): boolean {
  const state = facts.chronicle.stateAt(id, beganMs);
  return state !== undefined && alike(value, leafOf(state, path));
}
