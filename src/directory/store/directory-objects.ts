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

/** Namespace in the key of a Secret from the folder of secret files: such a Secret belongs to all namespaces. */
export const ANY_NAMESPACE = '';

/** A change of what a manifest declares, or of whether a connection can be used. */
export type ChangeCause = 'manifest' | 'readiness';

/** Manifests whose coming or going a reading showed. */
export interface Departures {
  /** Not declared any more; with `--prune`, for the whole grace time. */
  readonly gone: readonly Key[];
  /** Away from this reading on; their resources stay until `dueMs`. */
  readonly leaving: readonly { readonly key: Key; readonly dueMs: number }[];
  /** Away for the whole grace time, with so many others that they stay until a person agrees. */
  readonly held: readonly Key[];
  /** There again before their time was over. */
  readonly back: readonly Key[];
}

type Listener = (key: Key, cause: ChangeCause) => void;

/**
 * The manifests of a folder together with what is remembered of them: the two halves of what an API server would hold.
 * Listeners hear of every key whose manifest changed, Secrets and ConfigMaps included.
 */
export class DirectoryObjects {
  readonly #state: RememberedStates;
  readonly #digester: Digester;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #prune: boolean;
  readonly #removals: Removals;
  readonly #listeners = new Set<Listener>();
  /** Finds the deployment resources by what they are bound to, look for and use. */
  readonly index = new ResourceIndex();
  #declared: ReadonlyMap<string, DeclaredInFile> = new Map();

  constructor(about: {
    readonly state: RememberedStates;
    readonly digester: Digester;
    readonly clock: Clock;
    readonly randomBytes: RandomBytes;
    /** A manifest that is gone deletes the resource. */
    readonly prune: boolean;
    /** When it does. */
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

  /** Calls `listener` with every key that changed, until the returned function is called. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores the result of a reading. If the reading had errors, or found nothing at all, missing resources
   * stay as they were: a failed checkout removes nothing. `settled` says that two readings agreed; only then
   * are resources pruned, and only those missing for the grace time.
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

  /** Notes what a reading shows that may be half of a change: none of it is away. */
  seen({ declared }: Manifests): void {
    this.#removals.seen((text) => declared.has(text), this.#clock.now());
  }

  /** Tells listeners that something about a key changed. */
  tell(key: Key, cause: ChangeCause = 'manifest'): void {
    for (const listener of [...this.#listeners]) listener(key, cause);
  }

  /** The deployment resource, also while its deletion is waited for; undefined when it is gone. */
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

  /** The connection of either kind, or undefined. */
  connection(key: Key): ConnectionResource | undefined {
    const state = this.#state.get(keyText(key));
    const declared = this.#declared.get(keyText(key))?.object;
    if (declared?.kind !== CONNECTION_KIND && declared?.kind !== CLUSTER_CONNECTION_KIND) return undefined;
    return state === undefined ? undefined : shown(declared, state);
  }

  /** The Secret or ConfigMap document, or undefined. */
  data(key: Key): DataManifest | undefined {
    const declared = this.#declared.get(keyText(key))?.object;
    return declared !== undefined && 'data' in declared ? declared : undefined;
  }

  /** Every deployment resource, those that are being deleted included. */
  deployments(): readonly DeploymentResource[] {
    return this.#keysOf(DEPLOYMENT_KIND).flatMap((key) => this.deployment(key) ?? []);
  }

  /** Every connection of either kind. */
  connections(): readonly ConnectionResource[] {
    const keys = [...this.#keysOf(CONNECTION_KIND), ...this.#keysOf(CLUSTER_CONNECTION_KIND)];
    return keys.flatMap((key) => this.connection(key) ?? []);
  }

  /** Which deployments and connections take values from a Secret or ConfigMap. */
  dependents(data: Key): readonly Key[] {
    const dependents: Key[] = [];
    for (const { key, object } of this.#declared.values()) {
      if ('data' in object) continue;
      // Connections of the whole cluster read from a namespace that is not known here.
      const sameNamespace = [key.namespace, ANY_NAMESPACE].includes(data.namespace) || key.namespace === '';
      const named = dataReferences(object).some(({ kind, name }) => kind === data.kind && name === data.name);
      if (sameNamespace && named) dependents.push(key);
    }
    return dependents;
  }

  /** Which deployments use a connection, or would use it. */
  users(connection: Key): readonly Key[] {
    return this.index.usersOf(keyText(connection)).map(keyFrom);
  }

  /** Returns the remembered state of a key. */
  stateOf(key: Key): ResourceState | undefined {
    return this.#state.get(keyText(key));
  }

  /** Replaces what is remembered of a key, or forgets it, and waits until that is durable where `durable` is true. */
  async remember(key: Key, state: ResourceState | undefined, durable: boolean): Promise<void> {
    if (state === undefined) this.#state.delete(keyText(key));
    else this.#state.set(keyText(key), state);
    this.#indexed(key);
    if (durable) await this.#state.landed();
  }

  /** Writes a status, unless it is the same already. */
  async writeStatus(key: Key, status: JsonObject, durable: boolean): Promise<void> {
    const state = this.stateOf(key);
    if (state === undefined) return;
    const same = isDeepStrictEqual(state.status, status);
    await this.remember(key, same ? state : nextVersion({ ...state, status }), durable);
  }

  /** Counts a version of a Secret that is not read from manifests; answers what is remembered of it now. */
  adoptData(key: Key, data: DataManifest['data']): ResourceState {
    const known = this.stateOf(key);
    const next = this.#read({ data }, known);
    if (next !== known) this.#state.set(keyText(key), next);
    return next;
  }

  /** Brings what is remembered up to the manifest; true when the resource is not what it was. */
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

  /** The keys that are remembered, not declared by these manifests, and not being deleted yet. */
  #missingFrom({ declared }: Manifests): readonly string[] {
    const entries = this.#state.entries().filter(([text, { deletionTimestamp }]) => {
      const key = keyFrom(text);
      const ofFiles = key.kind === 'Secret' && key.namespace === ANY_NAMESPACE;
      return deletionTimestamp === undefined && !declared.has(text) && !ofFiles;
    });
    return entries.map(([text]) => text);
  }

  /** Marks what is claimed as being deleted, and forgets the rest. */
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

  /** The keys that are declared and, with `--prune`, those being deleted. */
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

/** The key that `keyText` made this text of: no part of a key contains a slash. */
export function keyFrom(text: string): Key {
  const [kind = '', namespace = '', name = ''] = text.split('/');
  return { kind, namespace, name };
}
