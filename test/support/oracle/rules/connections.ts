import type { ConnectionResource } from '../../../../src/api/connection.ts';
import { type Key, keyText } from '../../../../src/api/metadata.ts';
import { type Facts, retryAfterMs, TIMES } from '../facts.ts';
import type { Finding } from '../finding.ts';

const RULE_OBSERVED = 'a new generation is observed within two poll intervals';
const RULE_LIMITED = 'a connection that is rate limited says so';
const RULE_RECOVERED = 'a connection says that deployments are missing only while they are';

/**
 * A pause affects every waiting resource, so it is shown soon: after a write of status, and a check that already runs.
 */
const SHOWN_MS = 45_000;

const LATE_MS = 2 * TIMES.pollMs + TIMES.windowMs;

/** Compares the statuses of connections with the answers of the service. */
export function connections(facts: Facts): readonly Finding[] {
  return [...unobserved(facts), ...silentLimits(facts), ...lastingAbsence(facts)];
}

/** Finds resources without a pause whose status does not follow their generation. */
function unobserved(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key) => {
    let sinceMs: number | undefined;
    const versions = facts.versionsOf(key);
    for (const [at, { atMs, object }] of versions.entries()) {
      const isOpen =
        object !== undefined &&
        object.metadata.annotations?.['dms-operator.dev/paused'] !== 'true' &&
        object.status?.observedGeneration !== object.metadata.generation;
      if (!isOpen) sinceMs = undefined;
      else sinceMs ??= atMs;
      const untilMs = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
      // A dead process observes nothing before its restart.
      const aliveMs = facts.chronicle.lastStartMs(sinceMs ?? untilMs, untilMs);
      if (sinceMs === undefined || untilMs - aliveMs <= LATE_MS) continue;
      const text = `${key}: generation ${object?.metadata.generation} is not observed for ${Math.round((untilMs - sinceMs) / 1000)} s`;
      return [{ rule: RULE_OBSERVED, atMs: sinceMs, text }];
    }
    return [];
  });
}

/** Finds connections that are Ready although an answer with 429 asks their credential for a long pause. */
function silentLimits(facts: Facts): readonly Finding[] {
  return facts.exchanges.flatMap((exchange): readonly Finding[] => {
    if (exchange.status !== 429 || !exchange.faults.includes('status')) return [];
    const askedMs = retryAfterMs(exchange.retryAfter);
    if (askedMs <= SHOWN_MS) return [];
    const fromMs = exchange.beganMs + SHOWN_MS;
    const untilMs = Math.min(exchange.beganMs + askedMs, facts.chronicle.endMs);
    const passMs = facts.passBeganMs(exchange);
    return connectionsWith(facts, exchange.tenant).flatMap((key): readonly Finding[] => {
      const versions = facts.chronicle.connections.filter((version) => keyText(version.key) === keyText(key));
      // A connection with changed settings does not know the pause, also if the pass under way began with the previous ones.
      const restless = versions.some(({ atMs, object }, at) => {
        const before = versions[at - 1]?.object?.metadata.generation;
        // A request may leave in the moment of a change, still with the previous settings.
        const isSince = before === undefined ? atMs > passMs : atMs >= passMs;
        return isSince && atMs < untilMs && object?.metadata.generation !== before;
      });
      // A process that died before the answer arrived reports nothing, and the next one does not know the pause.
      const { startsMs, deathsMs } = facts.chronicle;
      const reborn = [...startsMs, ...deathsMs].some((atMs) => atMs >= exchange.beganMs && atMs < untilMs);
      if (restless || reborn || fromMs >= untilMs) return [];
      const wrong = versions.find(({ atMs, object }, at) => {
        const next = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
        return isReady(object) && Math.min(next, untilMs) - Math.max(atMs, fromMs) > 0;
      });
      if (wrong === undefined) return [];
      return [
        {
          rule: RULE_LIMITED,
          atMs: fromMs,
          text: `${keyText(key)} is Ready ${SHOWN_MS / 1000} s after a 429`,
        },
      ];
    });
  });
}

/**
 * A connection with MassAbsence or TenantChanged must end it when the list shows most of its bound deployments again.
 */
function lastingAbsence(facts: Facts): readonly Finding[] {
  const keys = new Map(facts.chronicle.connections.map(({ key }) => [keyText(key), key]));
  return [...keys].flatMap(([text, key]): readonly Finding[] => {
    const versions = facts.chronicle.connections.filter((version) => keyText(version.key) === text);
    let sinceMs: number | undefined;
    for (const [at, { atMs, object }] of versions.entries()) {
      const reason = reasonOf(object);
      const says = reason === 'MassAbsence' || reason === 'TenantChanged';
      const untilMs = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
      if (!says || sinceMs === undefined) sinceMs = says ? atMs : undefined;
      if (sinceMs === undefined) continue;
      const shownMs = allShownSince(facts, key, object, sinceMs, untilMs);
      if (shownMs === undefined || untilMs - shownMs <= LATE_MS) continue;
      return [
        {
          rule: RULE_RECOVERED,
          atMs: shownMs,
          text: `${text} says ${reason} ${Math.round((untilMs - shownMs) / 1000)} s after everything is back`,
        },
      ];
    }
    return [];
  });
}

/** Returns the time since which the credential of a connection has shown every deployment of its team without a gap. */
function allShownSince(
  facts: Facts,
  key: Key,
  connection: ConnectionResource | undefined,
  fromMs: number,
  untilMs: number,
): number | undefined {
  const ids = facts.resourceKeys.flatMap((resource) => {
    const { status } = facts.versionAt(resource, untilMs - 1)?.object ?? {};
    const pinned = status?.binding;
    const own = pinned?.connectionKind === key.kind && (pinned.connectionNamespace ?? '') === key.namespace;
    return own && status?.deploymentID !== undefined ? [status.deploymentID] : [];
  });
  if (ids.length === 0) return undefined;
  // The list does not show a deployment that was created in another tenant while the credential belonged to that
  // tenant.
  const tenantID = tenantOf(facts, connection);
  const isThere = ids.every((id) => facts.chronicle.stateAt(id, untilMs - 1)?.tenantID === tenantID);
  const spans = facts.chronicle.switchedMs.filter(({ fromMs: begunMs }) => begunMs < untilMs);
  const last = Math.max(fromMs, ...spans.map((span) => span.untilMs));
  return isThere && last < untilMs ? last : undefined;
}

/** Returns the tenant of the credential of a connection without temporary changes of it. */
function tenantOf({ chronicle }: Facts, connection: ConnectionResource | undefined): string | undefined {
  const { auth } = chronicle.service.semantics();
  const [credential = ''] = (connection?.spec.headers ?? []).flatMap(({ value }) => value ?? []);
  return auth.kind === 'tenant-header' ? auth.tenants?.[credential] : undefined;
}

function connectionsWith(facts: Facts, credential: string): readonly Key[] {
  const own = facts.chronicle.connections.filter(({ object }) =>
    credential === '' ? true : (object?.spec.headers ?? []).some(({ value }) => value === credential),
  );
  return [...new Map(own.map(({ key }) => [keyText(key), key])).values()];
}

function isReady(object: ConnectionResource | undefined): boolean {
  return (
    object?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  );
}

function reasonOf(object: ConnectionResource | undefined): string | undefined {
  return object?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}
