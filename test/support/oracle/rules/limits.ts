import type { DeploymentState } from '../../../../src/simulator/state/deployment-state.ts';
import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { Exchanged } from '../chronicle.ts';
import { type Facts, isFromTheBeginning, leafOf, TIMES } from '../facts.ts';
import type { Finding } from '../finding.ts';
import { alike, differsUnder, leavesOfBody } from '../leaves.ts';

const RULE_REVISIONS = 'revisions stay within the budget';
const RULE_IDENTICAL = 'identical requests stay within the bound';
const RULE_LISTS = 'a connection at rest makes one sweep and one complete pass a poll interval';

const HOUR_MS = 3_600_000;
const DEFAULT_BUDGET = 6;

/** The bound on identical sends: one application and one repair. */
const IDENTICAL = 2;

/** The passes at rest in a poll interval: a sweep, and one complete pass. */
const PASSES = 2;

/** The longest time between the passes of a decision and its request. */
const SOON_MS = 1_000;

/** The longest time between a pass and the next call of what it is for, if permits are two seconds apart. */
const SLOW_CALL_MS = 6_000;

/** The longest time for the passes before a write, if permits are two seconds apart. */
const SLOW_PASSES_MS = 30_000;

/** Reasons that make a connection as a whole doubtful, after a second pass confirmed them. */
const DOUBTS: ReadonlySet<string> = new Set(['MassAbsence', 'TenantChanged']);

/** The shortest poll interval, which varies by a fifth. */
const SHORTEST_MS = 48_000;

/** The time of unrest after the last write, edit or fault: window, rollout and polls. */
const UNREST_MS = 300_000;

/** Checks numbers that may not grow: revisions, repeated requests, and list calls at rest. */
export function limits(facts: Facts): readonly Finding[] {
  return [...revisions(facts), ...identicalRequests(facts), ...listCalls(facts)];
}

/** Finds hours with too many revisions of our requests, as the service counts them. */
function revisions(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key): readonly Finding[] => {
    const versions = facts.versionsOf(key);
    const id = versions.findLast(({ object }) => object?.status?.deploymentID !== undefined)?.object?.status
      ?.deploymentID;
    const state = id === undefined ? undefined : lastStateOf(facts, id);
    if (state === undefined) return [];
    const generations = new Map<number, number>();
    for (const { atMs, object } of versions) {
      const { generation = 0 } = object?.metadata ?? {};
      if (!generations.has(generation)) generations.set(generation, atMs);
    }
    const perHour = Math.max(
      ...versions.map(({ object }) => object?.spec.rollout?.maxRevisionsPerHour ?? DEFAULT_BUDGET),
    );
    const ours = state.revisions.filter(({ cause }) => cause === 'patch');
    return ours.flatMap(({ createdMs }): readonly Finding[] => {
      const within = (ms: number): boolean => ms > createdMs - HOUR_MS && ms <= createdMs;
      const made = ours.filter((revision) => within(revision.createdMs)).length;
      const allowed = perHour + [...generations.values()].filter(within).length;
      if (made <= allowed) return [];
      return [
        {
          rule: RULE_REVISIONS,
          atMs: createdMs,
          text: `${key}: ${made} revisions within an hour, ${allowed} allowed`,
        },
      ];
    });
  });
}

/** Returns the last stored content of a deployment. */
function lastStateOf(facts: Facts, id: string): DeploymentState | undefined {
  const now = facts.chronicle.stateAt(id, facts.chronicle.endMs);
  return now ?? facts.changesOf(id).findLast(({ before }) => before !== undefined)?.before;
}

/** Finds repeated requests with the same body, while no person changes their values. */
function identicalRequests(facts: Facts): readonly Finding[] {
  const patches = facts.dealtWith('patch');
  return [...new Set(patches.map(({ id }) => id))].flatMap((id) => {
    const own = patches.filter((request) => request.id === id);
    return [...Map.groupBy(own, ({ body }) => JSON.stringify(body)).values()].flatMap(
      (same): readonly Finding[] => {
        const found: Finding[] = [];
        let [run, answered, inTime] = [0, 0, 0];
        for (const [at, request] of same.entries()) {
          const { dealtMs: beforeMs, beganMs: askedMs = 0 } = same[at - 1] ?? {};
          // A redeploy that a person asks for while the first request is on its way is another reason for the second.
          const changed =
            beforeMs === undefined ||
            somebodyElseActed(facts, request, beforeMs) ||
            wasDeclared(facts, id, askedMs, request.beganMs);
          run = changed ? 1 : run + 1;
          answered = (changed ? 0 : answered) + (wasRecorded(facts, request) ? 1 : 0);
          inTime = (changed ? 0 : inTime) + (restsOnLateList(facts, request) ? 0 : 1);
          if (run <= IDENTICAL) continue;
          const text = `PATCH ${request.number} is the ${run}th of the same body, and nothing else happened in between`;
          const excuse =
            answered <= IDENTICAL
              ? 'the outcome was unknown'
              : inTime <= IDENTICAL
                ? 'a list lags beyond the window'
                : undefined;
          const finding = { rule: RULE_IDENTICAL, atMs: request.beganMs, text, excuse } as const;
          if (excuse === undefined) return [finding];
          found.push(finding);
        }
        return found;
      },
    );
  });
}

/** True if an answer proved the outcome, and the process that asked was alive to record it. */
export function wasRecorded(facts: Facts, { id, status, delivery, beganMs, endedMs }: Exchanged): boolean {
  if (status === undefined || status >= 500 || delivery !== 'whole' || endedMs === undefined) return false;
  const statusAt = (key: string, atMs: number): string =>
    JSON.stringify(facts.versionAt(key, atMs)?.object?.status);
  // A process does not write at the same time as it starts.
  const nextStartMs = facts.chronicle.startsMs.find((atMs) => atMs >= beganMs);
  if (nextStartMs === undefined) return true;
  return facts
    .boundTo(id, beganMs)
    .some((key) =>
      facts
        .versionsOf(key)
        .some(
          ({ atMs }) =>
            atMs >= endedMs && atMs < nextStartMs && statusAt(key, atMs) !== statusAt(key, beganMs),
        ),
    );
}

/**
 * True if the newest list before a request lacks requested values only because it is older than the window: the service
 * has stored all that it lacks for that long.
 */
function restsOnLateList(facts: Facts, { id, body, beganMs }: Exchanged): boolean {
  const list = facts.looksAt(id).findLast(({ via, endedMs }) => via === 'list' && endedMs <= beganMs);
  if (list === undefined) return false;
  const stored = facts.chronicle.stateAt(id, beganMs);
  const lacking = [...leavesOfBody(body)].filter(([path, value]) => !alike(list.leaves.get(path), value));
  const isLate = ([path, value]: readonly [string, WireJson]): boolean =>
    alike(leafOf(stored, path), value) && facts.isLate(list, id, path, list.leaves.get(path) ?? null);
  return lacking.length > 0 && lacking.every(isLate);
}

/** True if a person changed the values of a request in between. */
function somebodyElseActed(facts: Facts, { id, body, beganMs }: Exchanged, fromMs: number): boolean {
  return [...leavesOfBody(body).keys(), ...(Array.isArray(body['secrets']) ? ['secrets'] : [])].some((path) =>
    facts.changesOf(id).some(({ atMs, request, before, after }) => {
      const isTheirs = request === undefined && atMs >= fromMs - TIMES.pollMs && atMs <= beganMs;
      return isTheirs && differsUnder(before?.content, after?.content, path);
    }),
  );
}

/** True if a new spec or a new annotation asked for a change in between. */
function wasDeclared(facts: Facts, id: string, fromMs: number, toMs: number): boolean {
  return facts.boundTo(id, toMs).some((key) => {
    const signs = facts
      .versionsWithin(key, fromMs, toMs)
      .map(({ metadata }) => JSON.stringify([metadata.generation, metadata.annotations]));
    return new Set(signs).size > 1;
  });
}

/** Counts the complete reads of the list, for each tenant, within a poll interval at rest. */
export function passesAtRest(
  facts: Facts,
): readonly { readonly atMs: number; readonly passes: number; readonly allowed: number }[] {
  const starts = facts.exchanges.filter(
    ({ operation, query }) => operation === 'list' && isFromTheBeginning(new URLSearchParams(query)),
  );
  const restless = momentsOfUnrest(facts);
  return starts.flatMap(({ beganMs, tenant }) => {
    const fromMs = beganMs - SHORTEST_MS;
    if (restless.some((atMs) => atMs >= fromMs - UNREST_MS && atMs <= beganMs + SOON_MS)) return [];
    const passes = starts.filter((other) => {
      return other.tenant === tenant && other.beganMs > fromMs && other.beganMs <= beganMs;
    }).length;
    // The check of a connection, every ten minutes, reads a list to its end if the list makes the connection doubtful.
    const checks = facts.exchanges.filter(
      (other) =>
        other.operation === 'providers' &&
        other.tenant === tenant &&
        other.beganMs > fromMs &&
        other.beganMs <= beganMs + SLOW_CALL_MS,
    );
    // A check that confirms the doubt makes no further passes.
    const isConfirmed = facts.chronicle.events.some(
      ({ atMs, event }) => DOUBTS.has(event.reason) && atMs > fromMs && atMs <= beganMs + TIMES.lookMs,
    );
    const more = [checks.length > 0 || isConfirmed, isDeletionPending(facts, tenant, beganMs)].filter(
      Boolean,
    );
    return [{ atMs: beganMs, passes, allowed: PASSES + more.length }];
  });
}

/** True while a resource waits for a deployment of the tenant to be gone, which it looks for once a poll interval. */
function isDeletionPending(facts: Facts, tenant: string, atMs: number): boolean {
  return facts.resourceKeys.some((key) => {
    const { metadata, status } = facts.versionAt(key, atMs)?.object ?? {};
    if (metadata?.deletionTimestamp === undefined || status?.deploymentID === undefined) return false;
    const requests = new Set(facts.looksAt(status.deploymentID).map(({ request }) => request));
    return facts.exchanges.some((one) => one.tenant === tenant && requests.has(one.number));
  });
}

function listCalls(facts: Facts): readonly Finding[] {
  const [worst] = passesAtRest(facts)
    .filter(({ passes, allowed }) => passes > allowed)
    .toSorted((a, b) => b.passes - a.passes);
  if (worst === undefined) return [];
  return [
    {
      rule: RULE_LISTS,
      atMs: worst.atMs,
      text: `${worst.passes} passes over the list within a poll interval`,
    },
  ];
}

/** Returns the times at which something was done or failed. */
function momentsOfUnrest({ exchanges, chronicle, troublesMs }: Facts): readonly number[] {
  return [
    ...troublesMs,
    ...chronicle.changes.map(({ atMs }) => atMs),
    ...exchanges
      .filter(({ operation, status }) => operation !== 'list' || (status ?? 500) >= 400)
      .filter(({ operation }) => operation !== 'providers')
      .map(({ beganMs }) => beganMs),
    ...returns(exchanges),
    ...slowDecisions(exchanges),
    ...specMoments(chronicle.resources),
    ...specMoments(chronicle.connections),
  ];
}

/** Returns the times at which the passes before each write began: each call follows the one before it soon. */
function slowDecisions(exchanges: Facts['exchanges']): readonly number[] {
  return exchanges
    .filter(({ operation }) => operation === 'create' || operation === 'patch')
    .map(({ tenant, beganMs: writtenMs }) => {
      const lists = exchanges.filter(
        (call) => call.operation === 'list' && call.tenant === tenant && call.beganMs < writtenMs,
      );
      return lists.reduceRight((nextMs, { beganMs }) => {
        const isOfWrite = beganMs >= nextMs - SLOW_CALL_MS && beganMs >= writtenMs - SLOW_PASSES_MS;
        return isOfWrite ? beganMs : nextMs;
      }, writtenMs);
    });
}

/**
 * Returns the times at which a connection can read the list again after a pause, such as a Retry-After. It then reads
 * everything again.
 */
function returns(exchanges: Facts['exchanges']): readonly number[] {
  const lists = exchanges.filter(({ operation }) => operation === 'list');
  const byTenant = Map.groupBy(lists, ({ tenant }) => tenant);
  return [...byTenant.values()].flatMap((own) =>
    own
      .filter(({ beganMs }, at) => beganMs - (own[at - 1]?.beganMs ?? beganMs) > 2 * TIMES.pollMs)
      .map(({ beganMs }) => beganMs),
  );
}

/** Returns the times at which specs and annotations changed; statuses are changes of the operator itself. */
function specMoments(
  versions: readonly {
    readonly atMs: number;
    readonly key: { readonly name: string };
    readonly object:
      | { readonly metadata: { readonly generation?: number | undefined; readonly annotations?: unknown } }
      | undefined;
  }[],
): readonly number[] {
  const known = new Map<string, string>();
  return versions.flatMap(({ atMs, key, object }) => {
    const sign = JSON.stringify([object?.metadata.generation, object?.metadata.annotations]);
    if (known.get(JSON.stringify(key)) === sign) return [];
    known.set(JSON.stringify(key), sign);
    return [atMs];
  });
}
