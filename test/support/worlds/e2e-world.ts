import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { serveSimulator, type SimulatorServer } from '../../../src/simulator/server/simulator-server.ts';
import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import {
  type DeploymentSeed,
  deploymentSeed,
  EMPTY_SEED,
} from '../../../src/simulator/state/service-seed.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { SimulatedService } from '../../../src/simulator/server/simulated-service.ts';
import { connectionManifest } from '../resources/connection-manifest.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { noteSecret, noteTold } from '../leaks/told.ts';
import { secretsOf } from '../leaks/secrets-of.ts';
import { controllerArgs, metricsOf, type OperatorProcess, startOperator } from './operator-process.ts';
import { sharedBundle } from '../bundle/shared-bundle.ts';

/** Options for the start of a world. */
export interface WorldOptions {
  readonly deployments: readonly (Partial<DeploymentSeed> & { readonly name: string })[];
  readonly rolloutSeconds?: number;
  readonly semantics?: SemanticsPatch;
  /** False: the world applies no Connection. */
  readonly connection?: boolean;
  /** Further members of the spec of the Connection. */
  readonly connectionSpec?: Readonly<Record<string, unknown>>;
  /** The namespaces that the controller watches, if they differ from its own. */
  readonly watched?: readonly string[];
  /** False: the test starts the controller. */
  readonly start?: boolean;
  /** True: controllers use leader election. Without it, the next controller follows a killed one at once. */
  readonly leaderElect?: boolean;
}

/** A namespace of a real cluster, the simulated service, and the controller as a process between them. */
export interface World {
  readonly namespace: string;
  readonly service: SimulatedService;
  readonly server: SimulatorServer;
  operator: OperatorProcess;
  /**
   * Starts (again) a controller of the namespace, with another kubeconfig or further flags if given. `--namespace` among
   * them replaces the namespace.
   */
  run(kubeconfigFile?: string, ...words: readonly string[]): OperatorProcess;
  apply(manifest: string): Promise<void>;
  applyConnection(): Promise<void>;
  /** Runs kubectl in the namespace. Throws for an exit code that is not 0. */
  kubectl(...args: readonly string[]): Promise<string>;
  get(name: string): Promise<DeploymentResource>;
  /** Returns the PATCH requests that the service received. */
  patches(): readonly LoggedRequest[];
  until(what: string, holds: () => boolean | Promise<boolean>, limitMs?: number): Promise<void>;
  untilReason(name: string, reason: string, limitMs?: number): Promise<void>;
  /**
   * Returns the number of passes over deployment resources that the newest controller has finished, from its metrics.
   */
  passes(): Promise<number>;
  /** Resolves after this number of further calls of the list. */
  sweeps(count: number): Promise<void>;
  end(): Promise<void>;
}

/** Creates a world. The caller must call `end`. */
export async function aWorld(plane: ControlPlane, options: WorldOptions): Promise<World> {
  await plane.installCRDs();
  for (const { secrets = [] } of options.deployments) for (const { value } of secrets) noteSecret(value);
  const namespace = await plane.createNamespace('e2e');
  const service = new SimulatedService({
    clock: systemClock,
    seed: {
      ...EMPTY_SEED,
      semantics: { rollout: { kind: 'after', seconds: options.rolloutSeconds ?? 1 }, ...options.semantics },
      deployments: options.deployments.map(({ name, ...more }) => deploymentSeed(name, more)),
    },
    idSeed: namespace,
  });
  const server = await serveSimulator({ service, basePath: '/api/deploy' });
  const program = await sharedBundle();
  const world = worldOf({ plane, namespace, service, server, program }, options);
  if (options.connection !== false) await world.applyConnection();
  if (options.start !== false) world.run();
  return world;
}

/** Runs a story in its own world, which ends with the story. Several stories may run at the same time. */
export async function inAWorld(
  plane: ControlPlane,
  options: WorldOptions,
  tell: (world: World) => Promise<void>,
): Promise<void> {
  const world = await aWorld(plane, options);
  try {
    await tell(world);
  } finally {
    await world.end();
  }
}

interface Parts extends Pick<World, 'namespace' | 'service' | 'server'> {
  readonly plane: ControlPlane;
  readonly program: string;
}

function worldOf({ plane, namespace, service, server, program }: Parts, options: WorldOptions): World {
  const processes: OperatorProcess[] = [];
  const kubectl = async (args: readonly string[], stdin?: string): Promise<string> => {
    const how = stdin === undefined ? {} : { stdin };
    const { code, stdout, stderr } = await plane.kubectl(['-n', namespace, ...args], how);
    if (code !== 0) {
      throw new Error(
        `kubectl ${args.join(' ')}: ${stderr}\n${processes.at(-1)?.lines.slice(-30).join('\n') ?? ''}`,
      );
    }
    return stdout;
  };
  /** Records the parts of the cluster in which people read about the operator. Specs and Secrets come from people. */
  const noteWhatClusterShows = async (): Promise<void> => {
    const { items } = JSON.parse(await kubectl(['get', 'dmsd,dmsc,events', '-o', 'json'])) as {
      items: Shown[];
    };
    for (const { kind, status, ...rest } of items)
      noteTold(`the ${kind} in the cluster`, kind === 'Event' ? rest : status);
  };
  const world: World = {
    namespace,
    service,
    server,
    get operator() {
      const last = processes.at(-1);
      if (last === undefined) throw new Error('no controller was started');
      return last;
    },
    run(kubeconfigFile = plane.kubeconfigFile, ...words) {
      const watched = words.includes('--namespace') ? [] : (options.watched ?? [namespace]);
      const { leaderElect } = options;
      const args = controllerArgs({ kubeconfigFile, watched, operatorNamespace: namespace, leaderElect });
      const operator = startOperator([...args, ...words], program);
      processes.push(operator);
      return operator;
    },
    async apply(manifest) {
      for (const secret of secretsOf(manifest)) noteSecret(secret);
      await kubectl(['apply', '-f', '-'], manifest);
    },
    applyConnection: () => world.apply(connectionManifest(server.url, options.connectionSpec)),
    kubectl: (...args) => kubectl(args),
    get: async (name) => JSON.parse(await kubectl(['get', 'dmsd', name, '-o', 'json'])) as DeploymentResource,
    patches: () => service.log.requests('patch'),
    async until(what, holds, limitMs = 20_000) {
      const endMs = Date.now() + limitMs;
      while (!(await holds())) {
        if (Date.now() > endMs) {
          throw new Error(`did not happen: ${what}\n${world.operator.lines.slice(-40).join('\n')}`);
        }
        await systemClock.sleep(25);
      }
    },
    untilReason: (name, reason, limitMs) =>
      world.until(
        `${name} has reason ${reason}`,
        async () => {
          const { status } = await world.get(name);
          return status?.conditions?.some((c) => c.type === 'Synced' && c.reason === reason) ?? false;
        },
        limitMs,
      ),
    async passes() {
      const text = await metricsOf(world.operator);
      const counts = text.matchAll(/^dms_reconciles_total\{kind="Deployment",.*\} (\d+)$/gm);
      return [...counts].reduce((total, [, count]) => total + Number(count), 0);
    },
    async sweeps(count) {
      const target = service.log.count('list') + count;
      await world.until(`${count} sweeps`, () => service.log.count('list') >= target);
    },
    async end() {
      for (const process of processes) await process.kill();
      await server.close();
      await noteWhatClusterShows();
    },
  };
  return world;
}

interface Shown {
  readonly kind: string;
  readonly status?: unknown;
}
