import type { DeploymentResource } from '../../../src/api/deployment.ts';
import {
  type ConnectionName,
  type ConnectionSettings,
  connectionText,
} from '../../../src/model/connection/connection.ts';
import { ConnectionError, FailureError } from '../../../src/model/connection/failure.ts';
import type { ObservedDeployment, Observation } from '../../../src/model/external/observation.ts';
import type { ConnectionAccess } from '../../../src/ports/service/connections.ts';
import type { ExternalClient, Freshness } from '../../../src/ports/service/external-client.ts';
import type {
  ConnectionMetrics,
  ConnectionState,
  EndedExchange,
  Metrics,
} from '../../../src/ports/process/metrics.ts';
import { ConnectionPool } from '../../../src/service/connection/connection-pool.ts';
import type { Exchange } from '../../../src/service/http/exchange.ts';
import type { Wanted } from '../../../src/service/list/snapshot.ts';
import {
  deploymentSeed,
  type DeploymentSeed,
  EMPTY_SEED,
  manyDeployments,
  type ServiceSeed,
} from '../../../src/simulator/state/service-seed.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { SimulatedService } from '../../../src/simulator/server/simulated-service.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { aResource, someSettings } from '../../support/resources/builders.ts';
import { inProcessExchange, NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

const HEAP_BYTES = 512 * 1024 * 1024;

/** The initial state of a bench. */
export interface Given {
  /** The number of other deployments, beside the named ones. */
  readonly many?: number;
  readonly named?: readonly (Partial<DeploymentSeed> & { readonly name: string })[];
  readonly semantics?: SemanticsPatch;
  readonly seed?: Partial<ServiceSeed>;
  readonly settings?: Partial<ConnectionSettings>;
  readonly access?: ConnectionAccess;
  /** The longest wait of a check in milliseconds; absent: until it is over. */
  readonly checkLimitMs?: number;
}

/** Notes what connections report. */
class NotedMetrics implements Metrics, ConnectionMetrics {
  readonly notes: string[] = [];
  readonly states = new Map<string, () => ConnectionState>();

  reconciled(): void {}
  patched(): void {}
  drifted(): void {}

  exchanged(connection: string, { operation, code }: EndedExchange): void {
    this.notes.push(`${connection} exchanged ${operation} ${code}`);
  }

  swept(connection: string, result: string): void {
    this.notes.push(`${connection} swept ${result}`);
  }

  connectionSeen(connection: string, state: () => ConnectionState): void {
    this.states.set(connection, state);
  }

  connectionGone(connection: string): void {
    this.states.delete(connection);
  }

  permitted(connection: string, waitedSeconds: number): void {
    this.notes.push(`${connection} permitted after ${waitedSeconds}`);
  }

  /** Returns how often a note was made. */
  count(note: string): number {
    return this.notes.filter((other) => other === note).length;
  }
}

export const NAME: ConnectionName = { kind: 'Connection', namespace: 'team-a', name: 'default' };
export const NAMED: string = connectionText(NAME);

/** A pool of connections on a simulated service, in virtual time, without a reconciler. */
export class Bench {
  readonly clock = new VirtualClock();
  readonly service: SimulatedService;
  readonly metrics = new NotedMetrics();
  readonly logger = new MemoryLogger();
  readonly pool: ConnectionPool;
  readonly signal = new AbortController().signal;
  /** Connections that reported an error by themselves, oldest first. */
  readonly troubles: string[] = [];
  /** Names of deployments that were reported as changed, oldest first. */
  readonly changes: string[] = [];
  /** Connections that were replaced or removed. */
  readonly replaced: string[] = [];
  /** Exchanges that were opened and closed. */
  readonly exchanges: { readonly settings: ConnectionSettings; closed: boolean }[] = [];
  /** The ids of the deployments to which resources are bound. */
  bound: readonly string[] = [];
  /** What resources look for. */
  wanted: Wanted = 'all';
  /** Replaces the service if it is set. */
  open: ((settings: ConnectionSettings) => Exchange) | undefined;

  constructor({ many = 0, named = [], semantics = {}, seed, settings, access, checkLimitMs }: Given = {}) {
    this.service = new SimulatedService({
      clock: this.clock,
      seed: {
        ...EMPTY_SEED,
        ...seed,
        semantics,
        deployments: [
          ...manyDeployments(many),
          ...named.map(({ name, ...more }) => deploymentSeed(name, more)),
        ],
      },
    });
    this.pool = new ConnectionPool({
      clock: this.clock,
      metrics: this.metrics,
      logger: this.logger,
      access: access ?? { selects: () => true },
      open: (opened) => this.#open(opened),
      onServiceChange: (_, { names }) => this.changes.push(...names),
      onConnectionChange: (name) => this.replaced.push(connectionText(name)),
      onTrouble: (name) => this.troubles.push(connectionText(name)),
      expected: () => this.bound.map((id) => ({ id })),
      wanted: () => this.wanted,
      checkLimitMs,
      heapBytes: HEAP_BYTES,
      onLearned: () => undefined,
    });
    this.configure(settings);
  }

  /** Creates or changes the connection. */
  configure(more: Partial<ConnectionSettings> = {}): void {
    this.pool.configure(this.settings(more), {});
  }

  /** Returns settings whose rate limit never takes effect. */
  settings(more: Partial<ConnectionSettings> = {}): ConnectionSettings {
    return someSettings({
      rateLimit: NO_RATE_LIMIT,
      list: {
        pageSize: 100,
        parameters: { limit: 'limit', offset: 'offset', name: 'name_contains', ids: 'deployment_ids' },
      },
      ...more,
    });
  }

  /** Checks the connection once, as its reconciler does. */
  firstCheck(name: ConnectionName = NAME): ReturnType<ConnectionPool['check']> {
    return this.clock.runUntil(this.pool.check(name, this.signal));
  }

  /** Checks the connection, and again if the first check saw only the first page of a long list. */
  async check(name: ConnectionName = NAME): ReturnType<ConnectionPool['check']> {
    const asked = this.troubles.length;
    const first = await this.firstCheck(name);
    if (first.deployments !== undefined) return first;
    await this.clock.runUntil(this.#until(() => this.troubles.length > asked));
    this.troubles.splice(asked, 1);
    return await this.firstCheck(name);
  }

  /** Returns the client of the connection. Checks the connection first if nothing is known of it. */
  async client(resource: DeploymentResource = aResource()): Promise<ExternalClient> {
    const found = this.pool.for(resource, this.signal);
    await this.clock.settle();
    return found;
  }

  /** Checks a connection and returns its client. */
  async ready(): Promise<ExternalClient> {
    await this.check();
    return this.client();
  }

  /** Returns what a client observes of a deployment, by its name. */
  observe(client: ExternalClient, name: string, freshness: Partial<Freshness> = {}): Promise<Observation> {
    return this.#observed(client, { by: 'name', name }, freshness);
  }

  /** Returns what a client observes of a deployment, by its id. */
  observeID(client: ExternalClient, id: string, freshness: Partial<Freshness> = {}): Promise<Observation> {
    return this.#observed(client, { by: 'id', id }, freshness);
  }

  /** Returns the id of a deployment. */
  id(name: string): string {
    const state = this.service.deployment(name);
    if (state === undefined) throw new Error(`there is no deployment ${name}`);
    return state.id;
  }

  /** Returns the queries of the list so far. */
  lists(): readonly string[] {
    return this.service.log.requests('list').map(({ query }) => query);
  }

  /** Returns the number of list calls that `work` makes. */
  async listCalls(work: () => Promise<unknown>): Promise<number> {
    const before = this.service.log.count('list');
    await work();
    return this.service.log.count('list') - before;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.clock.sleep(1);
  }

  #observed(
    client: ExternalClient,
    identity: Parameters<ExternalClient['observe']>[0],
    freshness: Partial<Freshness>,
  ): Promise<Observation> {
    const wanted: Freshness = { notOlderThanMs: 0, priority: 'user', ...freshness };
    return this.clock.runUntil(client.observe(identity, wanted, this.signal));
  }

  #open(settings: ConnectionSettings): Exchange {
    const entry = { settings, closed: false };
    this.exchanges.push(entry);
    const exchange = this.open?.(settings) ?? inProcessExchange(this.service, settings, this.clock);
    return {
      send: (...asked) => exchange.send(...asked),
      close: async () => {
        entry.closed = true;
        await exchange.close();
      },
    };
  }
}

/** Returns the observed deployment. Throws if none was observed. */
export function present(observation: Observation): ObservedDeployment {
  if (observation.kind !== 'present') throw new Error(`the deployment is ${observation.kind}`);
  return observation.deployment;
}

/** Returns kind and reason of the error of a promise, or the value that it resolved to. */
export async function told(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof FailureError) return `${error.failure.kind} ${error.failure.reason}`;
    return error instanceof ConnectionError ? `connection ${error.reason}` : error;
  }
}
