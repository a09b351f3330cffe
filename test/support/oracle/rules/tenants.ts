import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import { keyText } from '../../../../src/api/metadata.ts';
import { textOf } from '../../../../src/simulator/values/wire-values.ts';
import { type Facts, type Look, TIMES } from '../facts.ts';
import type { Finding } from '../finding.ts';
import { alike, leavesOfBody, leavesOfContent } from '../leaves.ts';

const RULE_TENANT = 'nothing is made in another tenant than the pinned one';
const RULE_TWICE = 'one name is created once';
const RULE_RELEASED = 'a resource goes when its deployment is gone';
const RULE_OWNER = 'only the resource that bound a deployment first writes to it';

/** Checks across resources, connections and tenants which resource creates, deletes and writes which deployment. */
export function tenants(facts: Facts): readonly Finding[] {
  return [
    ...foreignCreations(facts),
    ...secondCreations(facts),
    ...earlyReleases(facts),
    ...foreignOwners(facts),
  ];
}

/**
 * Finds deployments that were created although no resource asked for them, or only one that is pinned to another
 * tenant.
 */
function foreignCreations(facts: Facts): readonly Finding[] {
  return creations(facts).flatMap((made): readonly Finding[] => {
    const { name, beganMs, atMs, tenantID } = made;
    // A spec may be edited while the request is running.
    const askers = facts.resourceKeys
      .filter((key) => facts.versionsWithin(key, beganMs, atMs).some((object) => asksFor(object, name)))
      .map((key) => ({ key }));
    const wrong = askers.filter(({ key }) => {
      const pinned = pinnedTenant(facts, key, atMs);
      return pinned !== undefined && pinned !== tenantID;
    });
    if (askers.length > wrong.length) return [];
    const text =
      askers.length === 0
        ? `${name} was created, which no spec asks for`
        : `${wrong.map(({ key }) => key).join(', ')} is pinned to another tenant than ${tenantID}, where ${name} was created`;
    const excuse =
      wrong.length > 0 && showsNoTenant(facts, made) ? 'an empty list names no tenant' : undefined;
    return [{ rule: RULE_TENANT, atMs, text, excuse }];
  });
}

/** Returns the tenant to which a resource was pinned before a creation, whose announcement removes the pins. */
function pinnedTenant(facts: Facts, key: string, atMs: number): string | undefined {
  const tenants = facts
    .versionsOf(key)
    .filter((version) => version.atMs < atMs)
    .map(({ object }) => object?.status?.binding?.tenantID);
  return tenants.findLast((tenant) => tenant !== undefined);
}

/**
 * True if the newest list of a creation's credential shows nothing at all within the last window, and no list of that
 * window shows the tenant of the creation.
 */
function showsNoTenant({ exchanges }: Facts, { credential, atMs, tenantID }: Creation): boolean {
  const lists = exchanges.filter(
    ({ operation, tenant, status, beganMs, endedMs = beganMs }) =>
      operation === 'list' &&
      tenant === credential &&
      status === 200 &&
      endedMs >= atMs - TIMES.windowMs &&
      endedMs <= atMs,
  );
  const showsIt = lists.some(({ answer }) => answer.includes(tenantID));
  return !showsIt && lists.at(-1)?.answer.includes('"id"') === false;
}

/** Finds second creations of a name while the deployment of an earlier request exists. */
function secondCreations(facts: Facts): readonly Finding[] {
  const made = creations(facts);
  return made.flatMap(({ name, atMs, id, tenantID }, at): readonly Finding[] => {
    const before = made
      .slice(0, at)
      .find(
        (other) =>
          other.name === name &&
          other.tenantID === tenantID &&
          other.id !== id &&
          isThere(facts, other.id, atMs),
      );
    if (before === undefined) return [];
    return [
      {
        rule: RULE_TWICE,
        atMs,
        text: `${name} was created at ${Math.round((before.atMs - facts.chronicle.startMs) / 1000)} s already`,
        excuse: hasMoved(facts, before.atMs, atMs)
          ? 'another address is another service'
          : wasTakenOffTheList(facts, before.id, atMs) || wasNeverShown(facts, before, atMs)
            ? 'lists leave out what they showed'
            : undefined,
      },
    ];
  });
}

/** True if a connection got another address within a span. */
function hasMoved({ chronicle: { connections } }: Facts, fromMs: number, toMs: number): boolean {
  return connections.some(({ atMs, key, object }, at) => {
    const last = connections
      .slice(0, at)
      .findLast((version) => keyText(version.key) === keyText(key))?.object;
    const [was, is] = [last?.spec.baseURL, object?.spec.baseURL];
    return atMs > fromMs && atMs <= toMs && was !== undefined && is !== undefined && was !== is;
  });
}

/**
 * True if lists have shown a deployment since its creation, and none of the last window did; if the service has
 * accepted its deletion, none of the lists since then is enough. A page counts after another one has followed, because
 * its read has not ended before.
 */
function wasTakenOffTheList(facts: Facts, id: string, atMs: number): boolean {
  const isFollowed = ({ request, endedMs }: Look): boolean => {
    const page = facts.exchanges.find(({ number }) => number === request);
    return facts.exchanges.some(
      (next) =>
        next.operation === 'list' &&
        next.tenant === page?.tenant &&
        next.beganMs >= endedMs &&
        (next.endedMs ?? Number.POSITIVE_INFINITY) <= atMs,
    );
  };
  const last = facts.looksAt(id).findLast((look) => look.via === 'list' && isFollowed(look));
  if (last === undefined) return false;
  const isAccepted = facts.exchanges.some(
    ({ operation, beganMs, status, ...request }) =>
      operation === 'delete' && request.id === id && beganMs <= atMs && (status ?? 500) < 300,
  );
  const isReadSince = facts.exchanges.some(
    ({ operation, beganMs }) => operation === 'list' && beganMs > last.endedMs && beganMs <= atMs,
  );
  return isAccepted ? isReadSince : last.beganMs <= atMs - TIMES.windowMs / 2;
}

/**
 * True for a deployment of a request that had no answer, or whose answer another process received, if no list shows
 * it, not even one from after its window.
 */
function wasNeverShown(facts: Facts, { id, beganMs, credential }: Creation, atMs: number): boolean {
  const isLookedFor = facts.exchanges.some(
    (one) =>
      one.operation === 'list' &&
      one.tenant === credential &&
      one.status === 200 &&
      one.beganMs >= beganMs + TIMES.windowMs &&
      one.beganMs <= atMs,
  );
  const startedMs = facts.chronicle.startsMs.findLast((startMs) => startMs <= atMs) ?? 0;
  // A process makes no request at the same time as it starts, so such a request is that of its predecessor.
  const isKnown = facts
    .looksAt(id)
    .some((look) => look.endedMs <= atMs && (look.via === 'list' || look.beganMs > startedMs));
  return isLookedFor && !isKnown;
}

/**
 * Finds resources with a deletion policy that were released before their deployment was deleted, if it ever existed.
 */
function earlyReleases(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key) => {
    const versions = facts.versionsOf(key);
    return versions.flatMap(({ atMs, object }, at): readonly Finding[] => {
      const last = versions[at - 1]?.object;
      if (object !== undefined || last === undefined) return [];
      if (last.spec.deletionPolicy !== 'Delete' || last.metadata.deletionTimestamp === undefined) return [];
      const id = last.status?.deploymentID;
      if (id === undefined || !isThere(facts, id, atMs) || isOwnedByAnother(facts, key, id, atMs)) return [];
      const excuse = wasTakenOffTheList(facts, id, atMs) ? 'lists leave out what they showed' : undefined;
      return [
        { rule: RULE_RELEASED, atMs, text: `${key} was released while deployment ${id} is there`, excuse },
      ];
    });
  });
}

/** Finds requests with values of another resource than the one that bound the deployment first. */
function foreignOwners(facts: Facts): readonly Finding[] {
  return facts.dealtWith('patch').flatMap((request): readonly Finding[] => {
    const isThereStill = (key: string): boolean =>
      facts.versionAt(key, request.beganMs)?.object !== undefined;
    const keys = facts.boundTo(request.id, request.beganMs).filter(isThereStill);
    if (keys.length < 2) return [];
    const held = request.found === undefined ? new Map<string, never>() : leavesOfContent(request.found);
    const changed = [...leavesOfBody(request.body)].filter(([path, value]) => !alike(value, held.get(path)));
    const [owner] = keys.toSorted(
      (a, b) => cameAt(facts, a, request.id, request.beganMs) - cameAt(facts, b, request.id, request.beganMs),
    );
    if (owner === undefined) return [];
    const fromMs = request.beganMs - TIMES.lookMs;
    const asks = (key: string, path: string, value: unknown): boolean =>
      facts.askedWithin(key, path, fromMs, request.beganMs).some((asked) => alike(asked, value as never));
    const strange = changed.filter(
      ([path, value]) =>
        !asks(owner, path, value) && keys.some((key) => key !== owner && asks(key, path, value)),
    );
    if (strange.length === 0) return [];
    const text = `PATCH ${request.number} sets ${strange.map(([path]) => path).join(', ')} as another resource than ${owner} asks`;
    return [{ rule: RULE_OWNER, atMs: request.beganMs, text }];
  });
}

interface Creation {
  readonly name: string;
  readonly id: string;
  readonly tenantID: string;
  /** The time at which its request began. */
  readonly beganMs: number;
  readonly atMs: number;
  /** The credential that selected the tenant. */
  readonly credential: string;
}

function creations({ chronicle, exchanges }: Facts): readonly Creation[] {
  const numbers = new Map(
    exchanges.filter(({ operation }) => operation === 'create').map((one) => [one.number, one]),
  );
  return chronicle.changes.flatMap(({ before, after, request, atMs, id }) => {
    const sent = numbers.get(request ?? 0);
    if (before !== undefined || after === undefined || sent === undefined) return [];
    const { tenantID } = after;
    return [
      { name: textOf(sent.body['name']), id, tenantID, beganMs: sent.beganMs, atMs, credential: sent.tenant },
    ];
  });
}

function asksFor({ spec, metadata }: DeploymentResource, name: string): boolean {
  return spec.creation?.policy === 'IfMissing' && (spec.deploymentRef?.name ?? metadata.name) === name;
}

function isThere(facts: Facts, id: string, atMs: number): boolean {
  const state = facts.chronicle.stateAt(id, atMs);
  return state !== undefined && (state.goneFromMs === null || state.goneFromMs > atMs);
}

/** Returns the time at which a resource bound a deployment, by the times of its pins. */
function cameAt(facts: Facts, key: string, id: string, beforeMs: number): number {
  const first = facts.versionsOf(key).find(({ object }) => object?.status?.deploymentID === id);
  return first === undefined || first.atMs > beforeMs ? Number.POSITIVE_INFINITY : first.atMs;
}

function isOwnedByAnother(facts: Facts, key: string, id: string, atMs: number): boolean {
  const own = cameAt(facts, key, id, atMs);
  return facts
    .boundTo(id, atMs - 1_000)
    .some((other) => other !== key && cameAt(facts, other, id, atMs) <= own);
}
