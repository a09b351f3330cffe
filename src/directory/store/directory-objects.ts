import { isDeepStrictEqual } from 'node:util';
import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyText } from '../../api/metadata.ts';
import { dataReferences } from '../../model/connection/data-references.ts';
import { ResourceIndex } from '../../model/desired/resource-index.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { Content } from '../manifests/hash-of.ts';
import type { DataManifest } from '../manifests/data-manifest.ts';
import type { RandomBytes } from '../state/digest-key.ts';
import { type DeclaredInFile, isComplete, type Manifests } from '../manifests/manifest-files.ts';
import {
  afterReading,
  fromRetained,
  markedDeleted,
  newState,
  nextVersion,
  retainedOf,
  shown,
} from '../state/resource-state.ts';
import type { RememberedStates } from '../state/remembered-states.ts';
import { type RemovalRules, Removals } from '../state/removals.ts';
import type { ResourceState } from '../state/state-content.ts';

/** The namespace in the key of a Secret from the folder of secret files. Such a Secret belongs to all namespaces. */
export const ANY_NAMESPACE = '';

/** The cause of a change: a manifest declares something else, or a connection became usable or unusable. */
export type ChangeCause = 'manifest' | 'readiness';

/** Manifests that a reading showed to be missing, or to be back. */
export interface Departures {
  /** No longer declared. With `--prune`, missing for the whole grace time. */
  readonly gone: readonly Key[];
  /** Missing since this reading. Their resources stay until `dueMs`. */
  readonly leaving: readonly { readonly key: Key; readonly dueMs: number }[];
  /** Missing for the whole grace time, but together with so many others that a person must first agree. */
  readonly held: readonly Key[];
  /** Declared again before their grace time ended. */
  readonly back: readonly Key[];
}

type Listener = (key: Key, cause: ChangeCause) => void;

/**
 * The manifests of a folder together with their remembered states: the two halves of what an API server stores.
 * Listeners receive the key of every changed manifest, including those of Secrets and ConfigMaps.
 */
export class DirectoryObjects {
  readonly #state: RememberedStates;
  readonly #digester: Digester;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #prune: boolean;
  readonly #removals: Removals;
  readonly #listeners = new Set<Listener>();
  /**
   * Finds Deployment resources by the deployment that they are bound to or look for, and by the connection that they
   * use.
   */
  readonly index = new ResourceIndex();
  #declared: ReadonlyMap<string, DeclaredInFile> = new Map();

  constructor(about: {
    readonly state: RememberedStates;
    readonly digester: Digester;
    readonly clock: Clock;
    readonly randomBytes: RandomBytes;
    /** True if a missing manifest deletes its resource. */
    readonly prune: boolean;
    /** When a missing manifest deletes its resource. */
    readonly removals: RemovalRules;
  }) {
    this.#state = about.state;
    this.#digester = about.digester;
    this.#clock = about.clock;
    this.#randomBytes = about.randomBytes;
    this.#prune = about.prune;
    this.#removals = new Removals(about.removals);
    this.#state.keyID = about.digester.keyID;
  }

  /** Calls `listener` with every key that changes, until the returned function is called. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores the result of a reading. If the reading had errors or found nothing at all, missing resources stay as they
   * were: a failed checkout removes nothing. `settled` is true if two readings agreed. Only then are resources pruned,
   * and only those missing for the grace time.
   */
  apply(manifests: Manifests, settled: boolean): Departures {
    const before = this.#declared;
    const complete = isComplete(manifests) && (settled || !this.#prune);
    const missing = complete && this.#prune ? this.#missingFrom(manifests) : [];
    const { begun, ended, due, held } = this.#removals.note(
      missing,
      manifests.declared.size,
      this.#clock.now(),
    );
    const kept = [...before].filter(([text]) => !complete || this.#removals.isWaiting(text));
    this.#declared = new Map([...kept, ...manifests.declared]);
    const changed = new Map<string, Key>();
    for (const [text, declared] of this.#declared) {
      if (this.#adopt(text, declared, before.get(text))) changed.set(text, declared.key);
    }
    const undeclared = [...before.keys()].filter((text) => !this.#declared.has(text));
    const gone = [...new Set([...undeclared, ...due])].map(keyFrom);
    for (const text of undeclared) changed.set(text, keyFrom(text));
    for (const key of this.#pruned(due)) changed.set(keyText(key), key);
    for (const key of changed.values()) this.#indexed(key);
    for (const key of changed.values()) this.tell(key);
    return {
      gone,
      leaving: begun.map(({ text, dueMs }) => ({ key: keyFrom(text), dueMs })),
      held: held.map(keyFrom),
      back: ended.filter((text) => manifests.declared.has(text)).map(keyFrom),
    };
  }

  /** Restarts the grace time of every manifest in a reading that may show half of a change. */
  seen({ declared }: Manifests): void {
    this.#removals.seen((text) => declared.has(text), this.#clock.now());
  }

  /** Notifies the listeners of a change of a key. */
  tell(key: Key, cause: ChangeCause = 'manifest'): void {
    for (const listener of [...this.#listeners]) listener(key, cause);
  }

  /** Returns the Deployment resource, even while it waits for its deletion, or undefined if it does not exist. */
  deployment(key: Key): DeploymentResource | undefined {
    const text = keyText(key);
    const state = this.#state.get(text);
    if (state === undefined || key.kind !== DEPLOYMENT_KIND) return undefined;
    const declared = this.#declared.get(text)?.object;
    if (declared?.kind === DEPLOYMENT_KIND) return shown(declared, state);
    const deleting = this.#prune && state.deletionTimestamp !== undefined;
    return deleting && state.retained !== undefined
      ? shown(fromRetained(key, state.retained), state)
      : undefined;
  }

  /** Returns the connection of either kind, or undefined. */
  connection(key: Key): ConnectionResource | undefined {
    const state = this.#state.get(keyText(key));
    const declared = this.#declared.get(keyText(key))?.object;
    if (declared?.kind !== CONNECTION_KIND && declared?.kind !== CLUSTER_CONNECTION_KIND) return undefined;
    return state === undefined ? undefined : shown(declared, state);
  }

  /** Returns the Secret or ConfigMap document, or undefined. */
  data(key: Key): DataManifest | undefined {
    const declared = this.#declared.get(keyText(key))?.object;
    return declared !== undefined && 'data' in declared ? declared : undefined;
  }

  /** Returns every Deployment resource, including those being deleted. */
  deployments(): readonly DeploymentResource[] {
    return this.#keysOf(DEPLOYMENT_KIND).flatMap((key) => this.deployment(key) ?? []);
  }

  /** Returns every connection of either kind. */
  connections(): readonly ConnectionResource[] {
    const keys = [...this.#keysOf(CONNECTION_KIND), ...this.#keysOf(CLUSTER_CONNECTION_KIND)];
    return keys.flatMap((key) => this.connection(key) ?? []);
  }

  /** Returns the Deployments and connections that take values from a Secret or ConfigMap. */
  dependents(data: Key): readonly Key[] {
    const dependents: Key[] = [];
    for (const { key, object } of this.#declared.values()) {
      if ('data' in object) continue;
      // A ClusterConnection reads from the namespace of the operator, which this class does not know.
      const sameNamespace = [key.namespace, ANY_NAMESPACE].includes(data.namespace) || key.namespace === '';
      const named = dataReferences(object).some(({ kind, name }) => kind === data.kind && name === data.name);
      if (sameNamespace && named) dependents.push(key);
    }
    return dependents;
  }

  /** Returns the Deployments that use a connection, or would use it if it existed. */
  users(connection: Key): readonly Key[] {
    return this.index.usersOf(keyText(connection)).map(keyFrom);
  }

  /** Returns the remembered state of a key. */
  stateOf(key: Key): ResourceState | undefined {
    return this.#state.get(keyText(key));
  }

  /** Replaces or, for undefined, deletes the remembered state of a key. If `durable`, resolves after it is durable. */
  async remember(key: Key, state: ResourceState | undefined, durable: boolean): Promise<void> {
    if (state === undefined) this.#state.delete(keyText(key));
    else this.#state.set(keyText(key), state);
    this.#indexed(key);
    if (durable) await this.#state.landed();
  }

  /** Writes a status unless it is unchanged. */
  async writeStatus(key: Key, status: JsonObject, durable: boolean): Promise<void> {
    const state = this.stateOf(key);
    if (state === undefined) return;
    const same = isDeepStrictEqual(state.status, status);
    await this.remember(key, same ? state : nextVersion({ ...state, status }), durable);
  }

  /** Updates the remembered state of a Secret that does not come from a manifest, and returns it. */
  adoptData(key: Key, data: DataManifest['data']): ResourceState {
    const known = this.stateOf(key);
    const next = this.#read({ data }, known);
    if (next !== known) this.#state.set(keyText(key), next);
    return next;
  }

  /** Updates the remembered state from a manifest. Returns true if the resource changed. */
  #adopt(text: string, { object }: DeclaredInFile, before: DeclaredInFile | undefined): boolean {
    const known = this.#state.get(text);
    if (known !== undefined && before?.object === object && known.deletionTimestamp === undefined)
      return false;
    let next = this.#read(object, known);
    const sameMetadata = before === undefined || isDeepStrictEqual(before.object.metadata, object.metadata);
    if (!sameMetadata && next.resourceVersion === known?.resourceVersion) next = nextVersion(next);
    if (next.claimed && object.kind === DEPLOYMENT_KIND) next = { ...next, retained: retainedOf(object) };
    if (!isDeepStrictEqual(next, known)) this.#state.set(text, next);
    return before === undefined || next.resourceVersion !== known?.resourceVersion;
  }

  #read(content: Content, known: ResourceState | undefined): ResourceState {
    return known === undefined
      ? newState({ content, uid: this.#newUID() }, this.#digester, this.#clock.now())
      : afterReading(known, content, this.#digester);
  }

  /** Returns the remembered keys that these manifests do not declare and that are not being deleted yet. */
  #missingFrom({ declared }: Manifests): readonly string[] {
    const entries = this.#state.entries().filter(([text, { deletionTimestamp }]) => {
      const key = keyFrom(text);
      const ofFiles = key.kind === 'Secret' && key.namespace === ANY_NAMESPACE;
      return deletionTimestamp === undefined && !declared.has(text) && !ofFiles;
    });
    return entries.map(([text]) => text);
  }

  /** Marks claimed resources as being deleted and forgets the others. Returns the marked keys. */
  #pruned(due: readonly string[]): readonly Key[] {
    const changed: Key[] = [];
    for (const text of due) {
      const state = this.#state.get(text);
      if (state?.claimed !== true) this.#state.delete(text);
      else {
        this.#state.set(text, markedDeleted(state, this.#clock.now()));
        changed.push(keyFrom(text));
      }
    }
    return changed;
  }

  #indexed(key: Key): void {
    if (key.kind === DEPLOYMENT_KIND) this.index.put(keyText(key), this.deployment(key));
  }

  /** Returns the keys that are declared and, with `--prune`, those being deleted. */
  #keysOf(kind: string): readonly Key[] {
    const declared = [...this.#declared.values()].map(({ key }) => key).filter((key) => key.kind === kind);
    if (!this.#prune) return declared;
    const others = this.#state.entries().filter(([text]) => !this.#declared.has(text));
    return [...declared, ...others.map(([text]) => keyFrom(text)).filter((key) => key.kind === kind)];
  }

  #newUID(): string {
    const hex = Buffer.from(this.#randomBytes(16)).toString('hex');
    const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

/** Parses the text that `keyText` makes of a key. No part of a key contains a slash. */
export function keyFrom(text: string): Key {
  const [kind = '', namespace = '', name = ''] = text.split('/');
  return { kind, namespace, name };
}
