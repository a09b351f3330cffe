import { type DeploymentResource, type DeploymentStatus, FINALIZER } from '../../../src/api/deployment.ts';
import { type Key, keyOf, keyText } from '../../../src/api/metadata.ts';
import { type Fleet, fleetBy } from '../../../src/compose/operator/fleet.ts';
import { ResourceIndex } from '../../../src/model/desired/resource-index.ts';
import { decidedAlike } from '../../../src/model/status/announced-status.ts';
import { FailureError } from '../../../src/model/connection/failure.ts';
import type { ChangeSource } from '../../../src/ports/stores/change-source.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { DesiredStore } from '../../../src/ports/stores/desired-store.ts';
import { noteTold } from '../leaks/told.ts';
import { MemoryObjects } from './memory-objects.ts';
import { StoreTroubles } from './store-troubles.ts';
import type { StoreWrite } from './store-write.ts';

/**
 * The number of tries of a write on newer versions before its conflict is thrown, and the pause of a write that must
 * succeed.
 */
const ATTEMPTS = 5;
const LANDING_PAUSE_MS = 1000;

/** The annotation of another writer that wrote first. The product does not read it. */
const OTHER_WRITER = 'example.com/written-first';

/** A hook at which a test may stop the process: an error that it throws leaves the method of the store. */
export type WriteHook = (write: StoreWrite) => void | Promise<void>;

/**
 * Deployment resources in memory that behave as in an API server: versions, generations, a status subresource,
 * finalizers. Users call `apply`, `edit` and `remove`; the rest implements the port.
 */
export class MemoryStore implements DesiredStore, ChangeSource {
  readonly #clock: Clock;
  readonly #objects: MemoryObjects<DeploymentResource>;
  readonly #landed: StoreWrite[] = [];
  #touches = 0;
  /** Look-ups over the current resources, by the index of the product. */
  readonly fleet: Fleet;
  /** Slow writes, and conflicts. */
  readonly troubles: StoreTroubles;
  /** Called before a write takes effect. An error here stands for a process that died before the write. */
  beforeWrite: WriteHook | undefined;
  /** Called after a write took effect. An error here stands for a process that died before it received the answer. */
  afterWrite: WriteHook | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#objects = new MemoryObjects(clock);
    this.troubles = new StoreTroubles(clock);
    const index = new ResourceIndex();
    this.#objects.watch((key) => index.put(keyText(key), this.#objects.get(key)));
    this.fleet = fleetBy(index, (text) => this.#objects.at(text));
  }

  /** Creates the resource or replaces its spec, labels and annotations, as `kubectl apply` does. */
  apply(resource: DeploymentResource): DeploymentResource {
    return this.#objects.apply(resource);
  }

  /** Changes spec, labels, annotations or finalizers of a resource. A changed status is ignored. */
  edit(key: Key, change: (resource: DeploymentResource) => DeploymentResource): DeploymentResource {
    return this.#objects.edit(key, change);
  }

  /** Deletes the resource, or marks it as being deleted while a finalizer holds it. */
  remove(key: Key): void {
    this.#objects.remove(key);
  }

  /** Writes a status as another process would: no version check, not counted, no hook. */
  overwriteStatus(key: Key, status: DeploymentStatus | undefined): void {
    this.#objects.setStatus(key, status);
  }

  /** Returns the current resource, without a wait. */
  peek(key: Key): DeploymentResource | undefined {
    return this.#objects.get(key);
  }

  /** Every resource. */
  list(): readonly DeploymentResource[] {
    return this.#objects.list();
  }

  /** Writes that took effect, oldest first. */
  get writes(): readonly StoreWrite[] {
    return this.#landed;
  }

  /** Returns how many writes of one operation took effect. */
  count(operation: StoreWrite['operation']): number {
    return this.#landed.filter((write) => write.operation === operation).length;
  }

  /** Forgets the writes so far, so that a test can count from here. */
  forgetWrites(): void {
    this.#landed.length = 0;
  }

  async start(onChange: (key: Key) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stop = this.#objects.watch(onChange);
    signal.addEventListener('abort', stop, { once: true });
    for (const resource of this.#objects.list()) onChange(keyOf(resource));
  }

  async get(key: Key): Promise<DeploymentResource | undefined> {
    return this.#objects.get(key);
  }

  async claim(resource: DeploymentResource): Promise<DeploymentResource> {
    const key = keyOf(resource);
    if (this.#same(resource)?.metadata.finalizers?.includes(FINALIZER)) return this.#sameOrFail(resource);
    return this.#write({ operation: 'claim', key }, () => {
      const current = this.#sameOrFail(resource);
      if (current.metadata.deletionTimestamp !== undefined) throw notWritten(key, 'is being deleted');
      const finalizers = [...(current.metadata.finalizers ?? []), FINALIZER];
      return this.#objects.edit(key, (object) => ({
        ...object,
        metadata: { ...object.metadata, finalizers },
      }));
    });
  }

  async release(resource: DeploymentResource): Promise<void> {
    const key = keyOf(resource);
    if (this.#same(resource)?.metadata.finalizers?.includes(FINALIZER) !== true) return;
    await this.#write({ operation: 'release', key }, () => {
      const current = this.#same(resource);
      if (current === undefined) return;
      const finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
      this.#objects.edit(key, (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
    });
  }

  async announce(
    resource: DeploymentResource,
    status: DeploymentStatus,
  ): Promise<DeploymentResource | 'stale'> {
    return this.#write({ operation: 'announce', key: keyOf(resource), status }, () => {
      const current = this.#same(resource);
      if (current === undefined || !decidedAlike(resource, current)) return 'stale';
      return this.#objects.setStatus(keyOf(resource), status) ?? 'stale';
    });
  }

  async saveStatus(
    resource: DeploymentResource,
    status: DeploymentStatus,
    how: { readonly mustLand: boolean },
  ): Promise<DeploymentResource | 'stale'> {
    const { mustLand } = how;
    return this.#write({ operation: 'saveStatus', key: keyOf(resource), status, mustLand }, () => {
      const current = this.#same(resource);
      if (current === undefined) return 'stale';
      if (!mustLand && current.metadata.resourceVersion !== resource.metadata.resourceVersion) return 'stale';
      return this.#objects.setStatus(keyOf(resource), status) ?? 'stale';
    });
  }

  async #write<R>(write: StoreWrite, effect: () => R): Promise<R> {
    if (write.status !== undefined) noteTold('a status', write.status);
    await this.beforeWrite?.(write);
    await this.troubles.waited(write);
    await this.#outlastConflicts(write);
    const result = effect();
    if (result !== 'stale') this.#landed.push(write);
    await this.afterWrite?.(write);
    return result;
  }

  /**
   * Lets another writer write first as often as conflicts are planned, so that a write by version finds a newer
   * version. A write to the newest version fails after this many conflicts; a write that must succeed only loses time.
   */
  async #outlastConflicts(write: StoreWrite): Promise<void> {
    for (let attempt = 1; this.troubles.meetsConflict(write); attempt += 1) {
      this.#touch(write.key);
      if (write.mustLand === true) await this.#clock.sleep(LANDING_PAUSE_MS);
      else if (write.operation === 'saveStatus') return;
      else if (attempt === ATTEMPTS) throw notWritten(write.key, 'was written by others each time');
    }
  }

  #touch(key: Key): void {
    if (this.#objects.get(key) === undefined) return;
    this.#touches += 1;
    const text = String(this.#touches);
    this.#objects.edit(key, (object) => {
      const annotations = { ...object.metadata.annotations, [OTHER_WRITER]: text };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
  }

  /** Returns the stored resource, unless it was deleted or another one has its name. */
  #same(resource: DeploymentResource): DeploymentResource | undefined {
    const current = this.#objects.get(keyOf(resource));
    return current?.metadata.uid === resource.metadata.uid ? current : undefined;
  }

  #sameOrFail(resource: DeploymentResource): DeploymentResource {
    const current = this.#same(resource);
    if (current === undefined) throw notWritten(keyOf(resource), 'is gone');
    return current;
  }
}

function notWritten(key: Key, what: string): FailureError {
  return new FailureError(`${keyText(key)} ${what}`, { kind: 'transient', reason: 'Retrying', sent: 'no' });
}
