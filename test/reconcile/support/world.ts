import type { ClusterConnectionSpec, ConnectionSpec, ConnectionStatus } from '../../../src/api/connection.ts';
import type { DeploymentResource, DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { isDeepStrictEqual } from 'node:util';
import { API_VERSION, keyText, type ObjectMeta } from '../../../src/api/metadata.ts';
import type { KeyedHashes } from '../../../src/model/recorded/digests.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { neverBack } from '../../../src/runtime/process/system-clock.ts';
import { MemoryConnectionStore } from '../../support/doubles/memory-connections.ts';
import { MemoryEvents } from '../../support/doubles/memory-events.ts';
import { MemorySecrets } from '../../support/doubles/memory-secrets.ts';
import { MemoryStore, type WriteHook } from '../../support/doubles/memory-store.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { Action } from '../../../src/simulator/faults/act.ts';
import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import type { PlannedAction, PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import {
  type DeploymentSeed,
  deploymentSeed,
  EMPTY_SEED,
  type ServiceSeed,
} from '../../../src/simulator/state/service-seed.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import type { TroubledWrites } from '../../support/doubles/store-troubles.ts';
import type { StoreWrite } from '../../support/doubles/store-write.ts';
import {
  SimulatedService,
  type SimulatedServiceOptions,
} from '../../../src/simulator/server/simulated-service.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import type { ExchangeMoments } from '../../support/worlds/process-life.ts';
import { Chronicle } from '../../support/oracle/chronicle.ts';
import { ProcessModel, type ProcessParts } from '../../support/worlds/process-model.ts';
import { MemoryMetrics } from './memory-metrics.ts';
import { AGENT, keyOf, nameOf, placeOf } from './names.ts';

export { AGENT, keyOf, NAMESPACE } from './names.ts';

/** The default address and rate limit of every connection of a world. */
const REACHED = { baseURL: 'https://dms.example.com/api', rateLimit: NO_RATE_LIMIT };

/** The header by which a service with several tenants distinguishes them. */
export const TENANT_HEADER = 'X-Credential';

/** The initial state of a world. */
export interface Given {
  /** The deployments of the service. Default: one external container named `support-agent`. */
  readonly deployments?: readonly (Partial<DeploymentSeed> & { readonly name: string })[];
  readonly semantics?: SemanticsPatch;
  readonly seed?: Partial<ServiceSeed>;
  readonly connection?: Partial<ConnectionSpec>;
  /** False if the scenario starts the process itself. */
  readonly started?: boolean;
  readonly randomSeed?: number;
}

/** A status write, with the replaced status. */
export interface StatusWrite {
  readonly operation: StoreWrite['operation'];
  /** The name in scenarios: `name`, or `namespace/name`. */
  readonly name: string;
  /** The generation of the resource with the new status. */
  readonly metadata: ObjectMeta;
  readonly before: DeploymentStatus | undefined;
  readonly after: DeploymentStatus;
  /** The time by the clock of the process that was started last. */
  readonly atMs: number;
}

/**
 * A simulated service, stores in memory and the operator between them, in virtual time. Names of resources, secrets and
 * connections belong to the namespace `team-a`, or have the form `namespace/name`.
 */
export class World {
  readonly clock: VirtualClock;
  readonly service: SimulatedService;
  readonly store: MemoryStore;
  readonly secrets = new MemorySecrets();
  readonly events = new MemoryEvents();
  readonly connections: MemoryConnectionStore;
  readonly logger = new MemoryLogger();
  readonly metrics = new MemoryMetrics();
  readonly moments: ExchangeMoments = {};
  /** Called around every write to the store, in addition to the records of the world itself. */
  readonly hooks: { before?: WriteHook | undefined; after?: WriteHook | undefined } = {};
  /** Every status write with a change, oldest first. */
  readonly statusWrites: StatusWrite[] = [];
  /** Every applied spec. */
  readonly applied: {
    readonly name: string;
    readonly spec: Partial<DeploymentSpec>;
    readonly atMs: number;
  }[] = [];
  /** Every action of another client on deployments. */
  readonly acts: Action[] = [];
  /** The initial deployments of the service. */
  readonly seeds: readonly DeploymentSeed[];
  /** Every secret text that was ever stored. None of them may appear in output. */
  readonly secretTexts = new Set<string>();
  #process: ProcessModel | undefined;
  /** True if the namespace of every resource is terminating. */
  terminating = false;
  #digestKey = 'first';
  /** The conversion that processes started from now on apply to the hashes of their key. */
  hashesOf: (hashes: KeyedHashes) => KeyedHashes = (hashes) => hashes;
  /** The offset of the machine's clock from the clock of the world. */
  #shiftMs = 0;
  #processNow: () => number = () => this.clock.now();
  /** All externally visible events. */
  readonly chronicle: Chronicle;
  readonly #before = new Map<string, DeploymentResource | undefined>();

  constructor(given: Given = {}) {
    this.clock = new VirtualClock({ seed: given.randomSeed ?? 1 });
    const deployments = given.deployments ?? [{ name: AGENT }];
    this.seeds = deployments.map(({ name, ...more }) => deploymentSeed(name, more));
    const seed = {
      ...EMPTY_SEED,
      ...given.seed,
      semantics: {
        rollout: { kind: 'after' as const, seconds: 20 },
        latencyMs: 20,
        ...given.semantics,
      },
      deployments: this.seeds,
    };
    for (const { secrets = [] } of deployments) for (const { value } of secrets) this.secretTexts.add(value);
    this.service = new WatchedService({ clock: this.clock, seed }, this.acts);
    this.store = new MemoryStore(this.clock);
    this.connections = new MemoryConnectionStore(this.clock);
    this.#watchWrites();
    this.chronicle = new Chronicle(this);
    this.connect(given.connection);
    if (given.started !== false) this.start();
  }

  /** Starts a process, the first or the next one. */
  start(more: Partial<Pick<ProcessParts, 'oversight'>> = {}): void {
    this.chronicle.started();
    this.#process = this.another(more);
  }

  /** Starts a process in the same world, beside the running ones. The caller owns it. */
  another(more: Partial<Pick<ProcessParts, 'shard' | 'fence' | 'moments' | 'oversight'>> = {}): ProcessModel {
    const { service, store, secrets, events, connections, logger, metrics, moments } = this;
    const clock = shiftedClock(this.clock, () => this.#shiftMs);
    this.#processNow = () => clock.now();
    const bytes = Buffer.from(this.#digestKey.padEnd(32, '.'));
    const digester = this.hashesOf({ ...hmacDigester(bytes), keyID: this.#digestKey });
    return new ProcessModel({
      ...{ clock, service, store, secrets, events, connections, logger, metrics, moments, digester },
      terminating: () => this.terminating,
      ...more,
    });
  }

  /** Ends the process as SIGKILL does. */
  kill(): void {
    if (this.#process !== undefined) this.chronicle.died();
    this.#process?.kill();
    this.#process = undefined;
  }

  /** Ends the process as SIGTERM does. Takes the virtual time of the drain. */
  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (process !== undefined) await this.clock.runUntil(process.stop());
  }

  /** Ends the process as SIGKILL does and starts another one. */
  restart(): void {
    this.kill();
    this.start();
  }

  /** Removes every hook, so that writes and exchanges have no further side effects. */
  disarm(): void {
    this.hooks.before = undefined;
    this.hooks.after = undefined;
    this.moments.leaving = undefined;
    this.moments.arriving = undefined;
  }

  /** Changes the digest key from the next start on: the old key was lost. */
  loseDigestKey(): void {
    this.#digestKey = 'second';
  }

  /** Advances the virtual time. */
  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  /** Creates or changes a connection. Default: the one that every resource of the namespace uses. */
  connect(spec: Partial<ConnectionSpec> = {}, name = 'default'): void {
    this.connections.apply({
      apiVersion: API_VERSION,
      kind: 'Connection',
      metadata: placeOf(name),
      spec: { ...REACHED, ...spec },
    });
  }

  /** Creates or changes a ClusterConnection. It serves only the namespaces that its selector names. */
  connectCluster(spec: Partial<ClusterConnectionSpec> = {}, name = 'default'): void {
    this.connections.apply({
      apiVersion: API_VERSION,
      kind: 'ClusterConnection',
      metadata: { name },
      spec: { ...REACHED, ...spec },
    });
  }

  /** Deletes a connection. */
  disconnect(name = 'default'): void {
    this.connections.remove({ kind: 'Connection', ...placeOf(name) });
  }

  /** Deletes a connection that is still needed, as a person does who removes its finalizers by hand. */
  loseConnection(name = 'default'): void {
    const key = { kind: 'Connection', ...placeOf(name) };
    this.connections.edit(key, (connection) => {
      const { finalizers: _, ...metadata } = connection.metadata;
      return { ...connection, metadata };
    });
    this.connections.remove(key);
  }

  /** Creates a resource or replaces its spec and annotations, as `kubectl apply` does. */
  apply(
    spec: Partial<DeploymentSpec> = {},
    name: string = AGENT,
    annotations?: Readonly<Record<string, string>>,
  ): void {
    this.applied.push({ name, spec, atMs: this.clock.now() });
    for (const { value } of spec.secrets ?? []) if (value !== undefined) this.secretTexts.add(value);
    this.store.apply({
      apiVersion: API_VERSION,
      kind: 'Deployment',
      metadata: { ...placeOf(name), ...(annotations === undefined ? {} : { annotations }) },
      spec: { source: 'external_container', ...spec },
    });
  }

  /** Sets one of our annotations. Null removes it. */
  annotate(which: string, text: string | null, name: string = AGENT): void {
    this.store.edit(keyOf(name), (resource) => {
      const { [`dms-operator.dev/${which}`]: _, ...others } = resource.metadata.annotations ?? {};
      const annotations = text === null ? others : { ...others, [`dms-operator.dev/${which}`]: text };
      return { ...resource, metadata: { ...resource.metadata, annotations } };
    });
  }

  /** Creates or changes a Secret, and notifies the process as a watch would. */
  putSecret(name: string, data: Readonly<Record<string, string>>): void {
    for (const value of Object.values(data)) this.secretTexts.add(value);
    const place = placeOf(name);
    this.secrets.put({ kind: 'Secret', ...place }, data);
    this.#process?.dataChanged('Secret', place.namespace, place.name);
  }

  /** Deletes a Secret. */
  removeSecret(name: string): void {
    const place = placeOf(name);
    this.secrets.remove({ kind: 'Secret', ...place });
    this.#process?.dataChanged('Secret', place.namespace, place.name);
  }

  /** Triggers a resync of every resource. */
  resync(): void {
    for (const { metadata } of this.store.list()) this.#process?.poke(keyOf(nameOf(metadata)));
  }

  /** Sets the clock of the processes' machine forward, or back with a negative number. */
  shiftClock(seconds: number): void {
    this.#shiftMs += seconds * 1000;
  }

  /** Sets switches of the service: for the named deployment only, and for the given seconds only, if present. */
  become(
    semantics: SemanticsPatch,
    more: { readonly deployment?: string; readonly seconds?: number } = {},
  ): void {
    this.service.act({ kind: 'switch', semantics, ...more });
  }

  /** Delays writes to the store by this time. Default: the next write only. */
  slowWrites(seconds: number, which: TroubledHere = {}): void {
    this.store.troubles.slow(seconds, troubled(which));
  }

  /** Makes another client write first at the next attempts to write to the store. */
  conflicts(times: number, which: Omit<TroubledHere, 'times'> = {}): void {
    this.store.troubles.conflict({ ...troubled(which), times });
  }

  /** Plans a fault. Default: for the next PATCH. */
  fault(fault: PlannedFault['fault'], more: Partial<Omit<PlannedFault, 'fault'>> = {}): void {
    this.service.faults.add({ match: { operation: 'patch' }, ...more, fault });
  }

  /** Plans an action of another client. Default: right before the service handles the next PATCH. */
  plan(action: Action, more: Partial<Omit<PlannedAction, 'action'>> = {}): void {
    this.service.actions.add({ match: { operation: 'patch' }, ...more, action });
  }

  /**
   * Assigns a value of the tenant header to this tenant from now on. The first call makes the service require a header.
   */
  belongs(credential: string, tenantID: string): void {
    const { auth } = this.service.semantics();
    const tenants = auth.kind === 'tenant-header' ? auth.tenants : {};
    this.become({
      auth: { kind: 'tenant-header', name: TENANT_HEADER, tenants: { ...tenants, [credential]: tenantID } },
    });
  }

  /** Edits a deployment at the service as another client. Paths use wire names. */
  editAtService(path: string, value: WireJson, deployment: string = AGENT): void {
    this.service.act({ kind: 'edit', deployment, path, value });
  }

  /** Returns the current resource. Throws if it was deleted. */
  resource(name: string = AGENT): DeploymentResource {
    const found = this.store.peek(keyOf(name));
    if (found === undefined) throw new Error(`there is no resource ${name}`);
    return found;
  }

  /** Returns the status of the resource. Empty before the first status write. */
  status(name: string = AGENT): DeploymentStatus {
    return this.resource(name).status ?? {};
  }

  /** Returns `status/reason` of one of its conditions. */
  condition(type: string, name: string = AGENT): string | undefined {
    const found = this.status(name).conditions?.find((condition) => condition.type === type);
    return found && `${found.status}/${found.reason}`;
  }

  /** Returns the message of its Synced condition. */
  message(name: string = AGENT): string {
    return this.status(name).conditions?.find(({ type }) => type === 'Synced')?.message ?? '';
  }

  /** Returns Synced and Ready in one line. */
  state(name: string = AGENT): string {
    return `${this.condition('Synced', name)} ${this.condition('Ready', name)}`;
  }

  /** Returns the status of a connection. */
  connectionStatus(name = 'default'): ConnectionStatus {
    return this.connections.peek({ kind: 'Connection', ...placeOf(name) })?.status ?? {};
  }

  /** Returns the status of a ClusterConnection. */
  clusterConnectionStatus(name = 'default'): ConnectionStatus {
    return this.connections.peek({ kind: 'ClusterConnection', namespace: '', name })?.status ?? {};
  }

  /** Returns `status/reason` of the Ready condition of a connection. */
  connectionState(name = 'default'): string | undefined {
    return readiness(this.connectionStatus(name));
  }

  /** Returns `status/reason` of the Ready condition of a ClusterConnection. */
  clusterConnectionState(name = 'default'): string | undefined {
    return readiness(this.clusterConnectionStatus(name));
  }

  /** Returns the deployment as the service currently shows it. */
  shown(name: string = AGENT): WireObject {
    const found = this.service.shown(name);
    if (found === undefined) throw new Error(`there is no deployment ${name}`);
    return found;
  }

  /** Returns the deployment as the service keeps it, with secrets in plain text. */
  kept(name: string = AGENT): NonNullable<ReturnType<SimulatedService['deployment']>> {
    const found = this.service.deployment(name);
    if (found === undefined) throw new Error(`there is no deployment ${name}`);
    return found;
  }

  /** Returns the PATCH requests so far. */
  patches(): readonly LoggedRequest[] {
    return this.service.log.requests('patch');
  }

  /** Returns the bodies of the PATCH requests. */
  bodies(): readonly (WireJson | undefined)[] {
    return this.patches().map(({ body }) => body);
  }

  /** Returns the number of revisions of a deployment beyond its first one. */
  revisionsMade(name: string = AGENT): number {
    return this.kept(name).revisions.length - 1;
  }

  /** Returns the status writes since a position in `statusWrites`, as `operation Synced Ready`. */
  statusStory(since = 0): readonly string[] {
    return this.statusWrites.slice(since).map(({ operation, after }) => {
      const of = (type: string): string =>
        after.conditions?.find((condition) => condition.type === type)?.reason ?? '-';
      return `${operation} ${of('Synced')} ${of('Ready')}`;
    });
  }

  #watchWrites(): void {
    this.store.beforeWrite = async (write) => {
      await this.hooks.before?.(write);
      this.#before.set(keyText(write.key), this.store.peek(write.key));
    };
    this.store.afterWrite = async (write) => {
      const now = this.store.peek(write.key);
      const old = this.#before.get(keyText(write.key));
      const moved = !isDeepStrictEqual(now?.status, old?.status);
      if (moved && now?.status !== undefined && write.status !== undefined) {
        const { operation, key } = write;
        const times = { before: old?.status, after: now.status, atMs: this.#processNow() };
        this.statusWrites.push({ operation, name: nameOf(key), metadata: now.metadata, ...times });
      }
      await this.hooks.after?.(write);
    };
  }
}

/** A service that records the actions of other clients. */
class WatchedService extends SimulatedService {
  readonly #acts: Action[];

  constructor(options: SimulatedServiceOptions, acts: Action[]) {
    super(options);
    this.#acts = acts;
  }

  override act(action: Action): ReturnType<SimulatedService['act']> {
    if (action.kind !== 'switch') this.#acts.push(action);
    return super.act(action);
  }
}

/** The writes that a trouble of the store affects. */
type TroubledHere = Omit<TroubledWrites, 'key'> & { readonly name?: string };

function troubled({ name, ...which }: TroubledHere): TroubledWrites {
  return { ...which, ...(name === undefined ? {} : { key: keyOf(name) }) };
}

function readiness({ conditions = [] }: ConnectionStatus): string | undefined {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready && `${ready.status}/${ready.reason}`;
}

/** Returns the clock of a process on a machine whose clock shows another time. Timers are unaffected. */
function shiftedClock(clock: Clock, shiftMs: () => number): Clock {
  return {
    now: neverBack(
      () => clock.now() + shiftMs(),
      () => clock.now(),
    ),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, task) => clock.after(ms, task),
    turn: () => clock.turn(),
    random: () => clock.random(),
  };
}
