import type { DeploymentResource, DeploymentSpec } from '../../../src/api/deployment.ts';
import { type Key, keyText } from '../../../src/api/metadata.ts';
import type { DeploymentState } from '../../../src/simulator/state/deployment-state.ts';
import { isWireObject, listOf, textOf } from '../../../src/simulator/values/wire-values.ts';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';
import type { Change, Chronicle, Exchanged, Version } from './chronicle.ts';
import { alike, isEmpty, type Leaves, leavesOfBody, leavesOfContent, leavesOfSpec } from './leaves.ts';

/** Times of the operator's documentation, in milliseconds. */
export const TIMES = {
  /** The steady poll interval and the share by which it varies. */
  pollMs: 72_000,
  /** The request timeout and the consistency window. */
  windowMs: 60_000,
  /** The longest time between an announcement and its write. The window of the write begins with the announcement. */
  announcedMs: 5_000,
  /**
   * The age of the newest look when a body with values of other people leaves: half the rollout poll, the seconds
   * that an announcement may take, and the exchanges themselves.
   */
  lookMs: 12_000,
} as const;

/** A deployment as an answer showed it. */
export interface Look {
  readonly beganMs: number;
  readonly endedMs: number;
  readonly via: 'list' | 'answer';
  /** The number of the answered request. */
  readonly request: number;
  readonly leaves: Leaves;
  readonly item: WireObject;
}

/** A request that the service carried out. */
export type Dealt = Exchanged & { readonly dealtMs: number };

/** A change of one value at the service. */
export interface LeafChange {
  readonly atMs: number;
  readonly before: WireJson | undefined;
  readonly after: WireJson | undefined;
  /** The number of our request that caused it; undefined for any other cause. */
  readonly request: number | undefined;
}

/** Facts of a chronicle by deployment, path and time. */
export class Facts {
  readonly chronicle: Chronicle;
  readonly exchanges: readonly Exchanged[];
  readonly #looks = new Map<string, Look[]>();
  readonly #changes = new Map<string, readonly Change[]>();
  readonly #versions = new Map<string, Version<DeploymentResource>[]>();

  constructor(chronicle: Chronicle) {
    this.chronicle = chronicle;
    this.exchanges = chronicle.exchanges();
    for (const change of chronicle.changes)
      this.#changes.set(change.id, [...(this.#changes.get(change.id) ?? []), change]);
    const lives = new Map<string, string>();
    for (const version of chronicle.resources) {
      const name = keyText(version.key);
      const uid = version.object?.metadata.uid;
      if (uid !== undefined) lives.set(name, uid);
      const text = `${name} ${lives.get(name) ?? ''}`;
      const own = this.#versions.get(text);
      if (own === undefined) this.#versions.set(text, [version]);
      else own.push(version);
    }
    for (const exchange of this.exchanges) this.#noteLooks(exchange);
  }

  /** Returns the requests of one operation that the service carried out, even late. */
  dealtWith(operation: Exchanged['operation']): readonly Dealt[] {
    return this.exchanges.filter(
      (exchange): exchange is Dealt =>
        exchange.operation === operation && exchange.dealtMs !== undefined && wasAccepted(exchange, this),
    );
  }

  /** The end of the pass over the list that a look is a page of: until then no decision rests on the look. */
  passEndMs({ via, request, endedMs }: Look): number {
    const page = this.exchanges.find(({ number }) => number === request);
    if (via !== 'list' || page === undefined || !isPage(new URLSearchParams(page.query))) return endedMs;
    const later = this.exchanges.filter(
      ({ operation, tenant, beganMs, query }) =>
        operation === 'list' &&
        tenant === page.tenant &&
        beganMs >= endedMs &&
        isPage(new URLSearchParams(query)),
    );
    const next = later.findIndex(({ query }) => isFromTheBeginning(new URLSearchParams(query)));
    return later.slice(0, next === -1 ? undefined : next).at(-1)?.endedMs ?? endedMs;
  }

  /** The beginning of the pass over the list that a request is a page of; of any other request, its own. */
  passBeganMs({ operation, tenant, query, beganMs }: Exchanged): number {
    if (operation !== 'list' || !isPage(new URLSearchParams(query))) return beganMs;
    const first = this.exchanges.findLast(
      (other) =>
        other.operation === 'list' &&
        other.tenant === tenant &&
        other.beganMs <= beganMs &&
        isFromTheBeginning(new URLSearchParams(other.query)),
    );
    return first?.beganMs ?? beganMs;
  }

  /**
   * Every resource that ever existed, by its key and uid. A resource that is created again under a name counts as
   * another one.
   */
  get resourceKeys(): readonly string[] {
    return [...this.#versions.keys()];
  }

  /**
   * Returns the versions of a resource, oldest first. Without a uid, returns those of all resources that had the name
   * in turn.
   */
  versionsOf(key: Key | string): readonly Version<DeploymentResource>[] {
    if (typeof key === 'string') return this.#versions.get(key) ?? [];
    return this.chronicle.resources.filter((version) => keyText(version.key) === keyText(key));
  }

  /** Returns the version of a resource at a time. */
  versionAt(key: Key | string, atMs: number): Version<DeploymentResource> | undefined {
    return this.versionsOf(key).findLast((version) => version.atMs <= atMs);
  }

  /** Returns the versions that were current at some time of a span. */
  versionsWithin(key: Key | string, fromMs: number, toMs: number): readonly DeploymentResource[] {
    const versions = this.versionsOf(key);
    return versions.flatMap(({ atMs, object }, at) => {
      const untilMs = versions[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return object !== undefined && atMs <= toMs && untilMs >= fromMs ? [object] : [];
    });
  }

  /** Returns the keys of resources that were bound to a deployment at a time, or are after the pass of that time. */
  boundTo(id: string, atMs: number): readonly string[] {
    return this.resourceKeys.filter((key) =>
      this.versionsWithin(key, atMs, atMs + 1_000).some(({ status }) => status?.deploymentID === id),
    );
  }

  /** Returns the looks at a deployment in answers that arrived whole, in the order of their beginnings. */
  looksAt(id: string): readonly Look[] {
    return this.#looks.get(id.toLowerCase()) ?? [];
  }

  /** True if a list that the process of that time read shows a value at a path, even of another deployment. */
  wasListed(path: string, atMs: number): boolean {
    const start = this.chronicle.startsMs.findLastIndex((startMs) => startMs <= atMs);
    const earlier = this.chronicle.lastRequests[start] ?? 0;
    return [...this.#looks.values()]
      .flat()
      .some(
        (look) =>
          look.via === 'list' &&
          look.request > earlier &&
          look.endedMs <= atMs &&
          [...look.leaves].some(
            ([leaf, value]) => (leaf === path || leaf.startsWith(`${path}.`)) && !isEmpty(value),
          ),
      );
  }

  /**
   * True if a list shows a value although the service already kept another one: since before the list, or since a window
   * before it if our request made the change: within that window, which begins with the request, the answer counts, and no
   * list does.
   */
  isLate(look: Look, id: string, path: string, value: WireJson): boolean {
    const kept = this.leafChanges(id, path).findLast(({ atMs }) => atMs <= look.endedMs);
    if (look.via !== 'list' || !alike(look.leaves.get(path), value)) return false;
    if (kept === undefined || alike(kept.after, value)) return false;
    if (kept.request === undefined) return kept.atMs <= look.beganMs;
    const sent = this.exchanges.find(({ number }) => number === kept.request);
    return kept.atMs <= look.beganMs && (sent?.beganMs ?? kept.atMs) <= look.beganMs - TIMES.windowMs;
  }

  /** True if the newest list in time for a request shows the value although the service already kept another one. */
  isFromLateList({ id, beganMs }: Exchanged, path: string, value: WireJson): boolean {
    const lists = this.looksAt(id).filter((look) => look.via === 'list' && look.endedMs <= beganMs);
    const newest = lists.findLast((look) => look.beganMs >= beganMs - TIMES.lookMs);
    return newest !== undefined && this.isLate(newest, id, path, value);
  }

  /** True for an answer during whose call the process died, if nothing was recorded at the end of that call. */
  isUnheard({ beganMs, endedMs }: Pick<Look, 'beganMs' | 'endedMs'>, id: string): boolean {
    const { deathsMs, resources } = this.chronicle;
    return (
      deathsMs.some((diedMs) => diedMs > beganMs && diedMs <= endedMs) &&
      !resources.some(({ atMs, object }) => atMs === endedMs && object?.status?.deploymentID === id)
    );
  }

  /** The ends of faults, acts, starts and their effects, and the times of edits of Secrets. */
  get troublesMs(): readonly number[] {
    const { chronicle, exchanges } = this;
    return [
      chronicle.startMs,
      ...chronicle.startsMs,
      ...chronicle.acts.map(({ atMs }) => atMs),
      ...chronicle.switchedMs.map(({ untilMs }) => untilMs).filter(Number.isFinite),
      ...chronicle.secrets.map(({ atMs }) => atMs),
      ...exchanges.filter(({ faults }) => faults.length > 0).map(({ beganMs }) => beganMs),
      ...exchanges
        .filter(({ status }) => status === 429)
        .map(({ beganMs, retryAfter }) => beganMs + retryAfterMs(retryAfter)),
    ];
  }

  /** Returns the changes of a deployment's stored content, oldest first. */
  changesOf(id: string): readonly Change[] {
    return this.#changes.get(id) ?? [];
  }

  /** Returns every change of a value, oldest first. */
  leafChanges(id: string, path: string): readonly LeafChange[] {
    return this.changesOf(id).flatMap((change) => {
      const [before, after] = [leafOf(change.before, path), leafOf(change.after, path)];
      return alike(before, after) ? [] : [{ atMs: change.atMs, before, after, request: change.request }];
    });
  }

  /** Returns the values that a resource asked for at some time of a span, by path. */
  askedWithin(key: string, path: string, fromMs: number, toMs: number): readonly WireJson[] {
    const versions = this.versionsWithin(key, fromMs, toMs);
    if (path.startsWith('secrets.')) {
      const name = path.slice('secrets.'.length);
      return versions.flatMap((version) => this.#secretValues(version, name, fromMs, toMs));
    }
    return versions.flatMap((version) => {
      const leaves = leavesOfSpec(version);
      return leaves.has(path) ? [leaves.get(path) ?? null] : [];
    });
  }

  #secretValues(resource: DeploymentResource, name: string, fromMs: number, toMs: number): readonly string[] {
    const { spec, metadata } = resource;
    const of = (object: string, key: string): readonly string[] => {
      const own = this.chronicle.secrets.filter(
        ({ text }) => text === `${metadata.namespace ?? ''}/${object}`,
      );
      return own.flatMap(({ atMs, data }, at) => {
        const untilMs = own[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
        const value = data[key];
        return value !== undefined && atMs <= toMs && untilMs >= fromMs ? [value] : [];
      });
    };
    return [
      ...(spec.secrets ?? [])
        .filter((secret) => secret.name === name)
        .flatMap((secret) => secretSource(secret, of)),
      ...(spec.secretsFrom ?? []).flatMap(({ secretRef }) => of(secretRef.name, name)),
    ];
  }

  #noteLooks(exchange: Exchanged): void {
    if (exchange.status !== 200 && exchange.status !== 201) return;
    if (exchange.delivery !== 'whole') return;
    const { beganMs, endedMs = beganMs } = exchange;
    const json = parsed(exchange.answer);
    const items =
      exchange.operation === 'list'
        ? listOf(json?.['resources']).filter(isWireObject)
        : ['patch', 'create'].includes(exchange.operation) && json !== undefined
          ? [json]
          : [];
    for (const item of items) {
      const id = textOf(item['id']).toLowerCase();
      const via = exchange.operation === 'list' ? 'list' : 'answer';
      const look = {
        beganMs,
        endedMs,
        via,
        request: exchange.number,
        leaves: leavesOfBody(item),
        item,
      } as const;
      const own = this.#looks.get(id);
      if (own === undefined) this.#looks.set(id, [look]);
      else own.push(look);
    }
  }
}

type SecretOf = (object: string, key: string) => readonly string[];

function secretSource(
  { value, valueFrom }: NonNullable<DeploymentSpec['secrets']>[number],
  of: SecretOf,
): readonly string[] {
  if (value !== undefined) return [value];
  const reference = valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef;
  return reference === undefined ? [] : of(reference.name, reference.key);
}

/** Returns the milliseconds that an answer asks to wait. */
export function retryAfterMs(text: string | undefined): number {
  return text === undefined ? 0 : Number(text) * 1000;
}

/** Returns the value that the service stores at a path. */
export function leafOf(state: DeploymentState | undefined, path: string): WireJson | undefined {
  return state === undefined ? undefined : leavesOfContent(state.content).get(path);
}

/** True for an answer that shows a value which the service did not keep at that time. */
export function isPretended(
  { chronicle }: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  { leaves, endedMs }: Look,
): boolean {
  return alike(leaves.get(path), value) && !alike(leafOf(chronicle.stateAt(id, endedMs), path), value);
}

/** True if the stored value satisfies the wanted one; a merged list may contain further items. */
export function holds(have: WireJson | undefined, want: WireJson): boolean {
  if (alike(have, want)) return true;
  if (!Array.isArray(want) || !Array.isArray(have) || isEmpty(want)) return false;
  return (want as readonly WireJson[]).every((item) =>
    (have as readonly WireJson[]).some((other) => alike(item, other)),
  );
}

/** True if a request was accepted, whatever happened to its answer. */
function wasAccepted({ status, faults, number }: Exchanged, { chronicle }: Facts): boolean {
  const late = faults.some((fault) => fault === 'apply-then-fail' || fault === 'fail-then-apply-late');
  return (
    late ||
    (status !== undefined && status < 300) ||
    chronicle.changes.some(({ request }) => request === number)
  );
}

function parsed(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isWireObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True for a page of a pass. A page of one item only tests the list, and a filter selects. */
function isPage(query: URLSearchParams): boolean {
  const limit = Number(query.get('limit') ?? query.get('page_size') ?? 100);
  return limit > 1 && !query.has('deployment_ids') && !query.has('ids');
}

/** True for the first page of a pass. */
export function isFromTheBeginning(query: URLSearchParams): boolean {
  return isPage(query) && Number(query.get('offset') ?? query.get('skip') ?? 0) === 0;
}
