import type { ConnectionResource, ConnectionStatus } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { type ConnectionName, connectionNameOf, connectionText } from '../../model/connection/connection.ts';
import type { Egress } from '../../model/connection/egress.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { FailureError } from '../../model/connection/failure.ts';
import type { Memory } from '../../views/plans/planned-resource.ts';
import { deploymentIDs } from '../../model/connection/data-references.ts';
import { unusableConnectionText } from '../../views/resources/chosen-connection.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { ExternalClient } from '../../ports/service/external-client.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { Claims } from '../../reconcile/deployment/claims.ts';
import { ConnectionReconciler } from '../../reconcile/connection/connection-reconciler.ts';
import type { DecideParts } from '../../reconcile/deployment/gather.ts';
import { ConnectionNotReadyError, ConnectionPool } from '../../service/connection/connection-pool.ts';
import type { ListFilter } from '../../service/list/deployment-list.ts';
import type { ListedDeployments } from '../../service/connection/look-at-service.ts';
import { patientExchange } from '../../service/http/patient-exchange.ts';
import { httpExchange } from '../../service/http/http-exchange.ts';
import {
  type DeclarationEnvironment,
  type DeclarationOptions,
  type Declarations,
  readDeclarations,
} from './declarations.ts';
import { creatorsOf, expectedAt, type Fleet, fixedFleet, type NameFor, boundBy } from '../operator/fleet.ts';
import { heapLimitBytes } from '../operator/heap-limit-bytes.ts';
import { NO_METRICS } from './no-metrics.ts';
import { userAgent } from '../operator/version.ts';

/** The manifests and services that a session reads. */
export interface SessionOptions extends DeclarationOptions {
  readonly egress: Egress;
  /** True if plans hold back secrets that nothing proves to differ, as `apply` does without --send-secrets. */
  readonly holdUnprovenSecrets?: boolean;
}

/** The parts that the process gives to a session. */
export interface SessionEnvironment extends DeclarationEnvironment {
  readonly logger: Logger;
  /** Called before a pause that a service asks for, with its length in milliseconds. */
  readonly onPause: (ms: number) => void;
}

/** A service behind a connection, for one command. */
export interface SessionService {
  readonly name: ConnectionName;
  /** The operations of the core, including those for providers and repositories (4.1, 4.2). */
  readonly client: ExternalClient;
  /** Reads the list (4.3). With a filter, the service chooses by query parameters. */
  list(filter: ListFilter, signal: AbortSignal): Promise<ListedDeployments>;
}

/** Resources from manifests or a cluster, and the services of their connections, for one command. */
export interface Session {
  /** The resources with their known status. */
  readonly deployments: readonly DeploymentResource[];
  /** The connections with their known status, or with the status from a check in this session. */
  readonly connections: readonly ConnectionResource[];
  readonly problems: readonly FileProblem[];
  /** How much is known about values that were applied earlier. */
  readonly memory: Memory;
  /** The default namespace for resources of a cluster. */
  readonly contextNamespace: string | undefined;
  /** The inputs to decisions about resources, except the service. */
  readonly deciding: DecideParts;
  /**
   * Returns the service of a connection. Throws a FailureError with a message of one line if there is no such
   * connection or it cannot be used: its Secret is missing, the service refuses the credential, or cannot be reached.
   */
  service(name: ConnectionName, signal: AbortSignal): Promise<SessionService>;
  /** Returns the service for a resource, by the controller's choice of its connection; throws as `service` does. */
  serviceFor(resource: DeploymentResource, signal: AbortSignal): Promise<ExternalClient>;
  close(): Promise<void>;
}

/**
 * Reads the declarations; reads a service when a call first needs it. Writes nothing: no status, no event, no lock, no
 * key. Throws one line if the cluster or the state cannot be read. Throws the reason of `signal` after it aborts, as
 * all methods of a session do.
 */
export async function openSession(
  options: SessionOptions,
  environment: SessionEnvironment,
  signal: AbortSignal,
): Promise<Session> {
  const declarations = await orStopped(readDeclarations(options, environment, signal), signal);
  return new OpenSession(declarations, options, environment);
}

/** Reports a stop as a stop, and not as the failure of the call in progress. */
async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

class OpenSession implements Session {
  readonly deciding: DecideParts;
  readonly #declarations: Declarations;
  readonly #inFolder: boolean;
  readonly #store: PassingConnectionStore;
  readonly #pool: ConnectionPool;
  readonly #reconciler: ConnectionReconciler;
  readonly #looks = new Map<string, Promise<unknown>>();
  readonly #nameFor: NameFor = (resource) => this.#pool.nameFor(resource);

  constructor(declarations: Declarations, options: SessionOptions, environment: SessionEnvironment) {
    const { clock } = environment;
    const { digester: digests, secretReader: secrets } = declarations;
    const fleet = fixedFleet(declarations.fleet);
    this.#declarations = declarations;
    this.#inFolder = options.cluster === undefined;
    this.#store = new PassingConnectionStore(declarations.connections);
    this.#pool = this.#newPool(fleet, options, environment);
    this.#reconciler = this.#newReconciler(fleet, environment);
    this.deciding = {
      ...{ secrets, digests, clock },
      rivals: rivalsIn(declarations.fleet),
      creators: (resource) => creatorsOf(fleet, resource, (of) => this.#pool.addressFor(of)),
      claims: new Claims(),
      holdUnprovenSecrets: options.holdUnprovenSecrets,
      waitsForRotations: false,
    };
    for (const connection of declarations.connections) this.#pool.expect(connectionNameOf(keyOf(connection)));
  }

  get deployments(): readonly DeploymentResource[] {
    return this.#declarations.deployments;
  }

  get connections(): readonly ConnectionResource[] {
    return this.#store.list();
  }

  get problems(): readonly FileProblem[] {
    return this.#declarations.problems;
  }

  get contextNamespace(): string | undefined {
    return this.#declarations.contextNamespace;
  }

  get memory(): Memory {
    return this.#declarations.memory;
  }

  async service(name: ConnectionName, signal: AbortSignal): Promise<SessionService> {
    await this.#lookedAt(name, signal);
    const connection = await orStopped(this.#explained(this.#pool.at(name, signal)), signal);
    return {
      name,
      client: connection.client,
      list: (filter, until) => connection.listed(filter, until),
    };
  }

  async serviceFor(resource: DeploymentResource, signal: AbortSignal): Promise<ExternalClient> {
    const name = this.#pool.nameFor(resource);
    if (name !== undefined) await this.#lookedAt(name, signal);
    return orStopped(this.#explained(this.#pool.for(resource, signal)), signal);
  }

  async close(): Promise<void> {
    await this.#pool.stop();
    await this.#declarations.close();
  }

  /** Adds the connection's name and address to an error, since the user of a command does not see the connection. */
  async #explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (this.#inFolder && isNotFound(error)) {
        throw new FailureError(`${error.message}; ${WHERE_ELSE}`, error.failure, { cause: error });
      }
      if (!(error instanceof ConnectionNotReadyError)) throw error;
      const resource = await this.#store.get(error.connection);
      if (resource === undefined) throw error;
      const text = unusableConnectionText(resource, error.trouble);
      throw new FailureError(text, error.failure, { cause: error });
    }
  }

  /**
   * Checks the connection once for all callers; throws errors that do not concern the connection itself to each of
   * them.
   */
  async #lookedAt(name: ConnectionName, signal: AbortSignal): Promise<void> {
    const text = connectionText(name);
    const look = this.#looks.get(text) ?? this.#reconciler.reconcile(name, signal);
    this.#looks.set(text, look);
    await orStopped(look, signal);
  }

  /**
   * If the list fails after a successful check, makes one more check for all callers, which decides whether they
   * continue.
   */
  #lookAgain(name: ConnectionName): void {
    this.#reconciler.reconcile(name, new AbortController().signal).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#pool.markNotReady(name, { reason: 'Unreachable', message });
    });
  }

  #newPool(fleet: Fleet, { egress }: SessionOptions, environment: SessionEnvironment): ConnectionPool {
    const { clock, logger, onPause } = environment;
    const { allowHosts, proxyHosts, environmentProxy } = egress;
    const rules = { refuseLoopback: false, allowHosts };
    const how = { clock, userAgent: userAgent(), rules, proxyHosts };
    const nothing = (): void => undefined;
    return new ConnectionPool({
      ...{ clock, logger, metrics: NO_METRICS },
      access: this.#declarations.connectionAccess,
      environmentProxy,
      open: (settings) => patientExchange(httpExchange(settings, how), { clock, onPause }),
      onServiceChange: nothing,
      onConnectionChange: nothing,
      onLearned: nothing,
      onTrouble: (name) => this.#lookAgain(name),
      expected: (name) => expectedAt(fleet, name, this.#nameFor),
      // A command may ask for everything that the service lists.
      wanted: () => 'all',
      heapBytes: heapLimitBytes(),
    });
  }

  #newReconciler(fleet: Fleet, { clock, logger }: SessionEnvironment): ConnectionReconciler {
    const { secretReader, operatorNamespace } = this.#declarations;
    return new ConnectionReconciler({
      ...{ clock, logger, operatorNamespace, metrics: NO_METRICS },
      store: this.#store,
      connections: this.#pool,
      secrets: secretReader,
      namespaces: { isTerminating: () => false },
      events: { record: () => undefined },
      managed: (name) => boundBy(fleet, name, this.#nameFor),
    });
  }
}

/** The advice for a person who passed only some manifests; KUBECONFIG alone selects no cluster here. */
const WHERE_ELSE = 'give its manifest with -f as well, or name a cluster with --context or --namespace';

function isNotFound(error: unknown): error is FailureError {
  return error instanceof FailureError && error.failure.reason === 'ConnectionNotFound';
}

/** A store of connections that keeps new statuses only in memory: the session records nothing. */
class PassingConnectionStore implements ConnectionStore {
  readonly #connections: Map<string, ConnectionResource>;

  constructor(connections: readonly ConnectionResource[]) {
    this.#connections = new Map(connections.map((connection) => [keyText(keyOf(connection)), connection]));
  }

  list(): readonly ConnectionResource[] {
    return [...this.#connections.values()];
  }

  async get(key: Key): Promise<ConnectionResource | undefined> {
    return this.#connections.get(keyText(key));
  }

  async saveStatus(connection: ConnectionResource, status: ConnectionStatus): Promise<ConnectionResource> {
    const shown = { ...connection, status };
    this.#connections.set(keyText(keyOf(connection)), shown);
    return shown;
  }

  async isCurrent(): Promise<boolean> {
    return true;
  }
}

/**
 * Returns a look-up of other resources with the same deployment. Indexes all resources once, since the session asks
 * about all of them.
 */
function rivalsIn(fleet: readonly DeploymentResource[]): DecideParts['rivals'] {
  const bound = new Map<string, DeploymentResource[]>();
  for (const resource of fleet)
    for (const id of deploymentIDs(resource)) bound.set(id, [...(bound.get(id) ?? []), resource]);
  return (resource, id) => (bound.get(id) ?? []).filter((other) => !isSame(other, resource));
}

function isSame(a: DeploymentResource, b: DeploymentResource): boolean {
  return keyText(keyOf(a)) === keyText(keyOf(b));
}
