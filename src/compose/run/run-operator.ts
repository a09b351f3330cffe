import { randomBytes } from 'node:crypto';
import type { RunConfig } from '../../config.ts';
import { openDirectory } from '../../directory/store/directory-adapter.ts';
import type { Fence } from '../../ports/process/fence.ts';
import type { LogFormat } from '../../ports/process/logger.ts';
import { hmacDigester } from '../../runtime/process/hmac-digester.ts';
import { LeadershipLostError } from '../../runtime/election/leader-elector.ts';
import { Manager, type Part, type Phase } from '../../runtime/process/manager.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { type ListeningServer, startHttpServer } from '../../telemetry/start-http-server.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import { MetricsRegistry } from '../../telemetry/metrics-registry.ts';
import { directoryPhases } from '../operator/directory-phases.ts';
import { userAgent } from '../operator/version.ts';

/**
 * Runs the controller until `signal` aborts and everything has drained. Returns 'lost' at once if this replica may not
 * continue: the process must then end immediately. Throws if it cannot start.
 */
export async function runOperator(
  config: RunConfig,
  how: { readonly format: LogFormat; readonly colour: boolean },
  signal: AbortSignal,
): Promise<'stopped' | 'lost'> {
  const clock = systemClock;
  const logger = createLogger({ level: config.logLevel, clock, ...how });
  const metrics = new MetricsRegistry(clock);
  logger.info('starting', { program: userAgent(), dryRun: config.dryRun });
  const { phases, fence, release } = await operatorFor(config, { clock, logger, metrics });
  const server = telemetryServer(config, { clock, logger, metrics }, () => manager);
  const manager: Manager = new Manager({
    phases: [{ name: 'telemetry', parts: [server] }, ...phases],
    clock,
    logger,
  });
  // If a phase fails to start, the open parts of earlier phases would keep the process alive.
  const running = manager.run(signal).catch(async (error: unknown) => {
    await release?.();
    throw error;
  });
  const loss = await Promise.race([running, lossOf(fence)]);
  if (loss === undefined) {
    logger.info('stopped');
    return 'stopped';
  }
  logger.error('leadership is lost: the process ends at once', { why: loss.message });
  return 'lost';
}

/** Serves metrics, and the health of the parts that the manager runs. */
function telemetryServer(
  { metricsAddress, inCluster }: RunConfig,
  environment: Environment,
  health: () => Manager,
): Part {
  let listening: ListeningServer | undefined;
  return {
    name: 'metrics and health',
    start: async () => {
      if (metricsAddress === undefined) return;
      listening = await startHttpServer(metricsAddress, { ...environment, health: health() });
      const { host, port } = listening;
      const open = metricsAddress.host === undefined && !inCluster;
      // In a pod, the NetworkPolicy restricts access; on a laptop, nothing does.
      const hint = `any machine can read them; --metrics-address 127.0.0.1:${port} keeps them here`;
      environment.logger.info('metrics and health are served', { host, port, ...(open && { hint }) });
    },
    stop: async () => listening?.close(),
  };
}

/** Resolves with the error when this replica may not continue. */
async function lossOf(fence: Fence | undefined): Promise<LeadershipLostError> {
  return new Promise((resolve) => {
    fence?.closed.addEventListener('abort', () => {
      const reason: unknown = fence.closed.reason;
      if (reason instanceof LeadershipLostError) resolve(reason);
    });
  });
}

interface Environment {
  readonly clock: typeof systemClock;
  readonly logger: ReturnType<typeof createLogger>;
  readonly metrics: MetricsRegistry;
}

/** The parts of a controller, for a cluster or a folder. */
interface Operator {
  readonly phases: readonly Phase[];
  readonly fence?: Fence | undefined;
  /** Releases what the operator acquired before the first phase. */
  readonly release?: (() => Promise<void>) | undefined;
}

async function operatorFor(config: RunConfig, environment: Environment): Promise<Operator> {
  const { dirs, state, secretsDir, prune, pruneMany, pruneAfterMs } = config;
  if (dirs.length === 0) {
    // The Kubernetes client is large, and a controller on a directory does not need it.
    const { clusterOperator } = await import('../cluster/cluster-operator.ts');
    return clusterOperator(config, environment);
  }
  const paths = { paths: dirs, stateFile: state, secretsDir, prune, pruneMany, pruneAfterMs };
  const adapter = await openDirectory(paths, { ...environment, randomBytes, digester: hmacDigester });
  return {
    phases: directoryPhases(adapter, { ...environment, ...config }),
    release: () => adapter.stop(),
  };
}
