import { randomBytes } from 'node:crypto';
import type { RunConfig } from '../config.ts';
import { openDirectory } from '../directory/directory-adapter.ts';
import type { LogFormat } from '../ports/logger.ts';
import { hmacDigester } from '../runtime/digester.ts';
import { Manager, type Part, type Phase } from '../runtime/manager.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { type ListeningServer, startHttpServer } from '../telemetry/http-server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { MetricsRegistry } from '../telemetry/metrics-registry.ts';
import { directoryPhases } from './clusterless.ts';
import { userAgent } from './version.ts';

/** Runs the controller until `signal` aborts and everything has drained. Throws where it cannot start. */
export async function runOperator(
  config: RunConfig,
  how: { readonly format: LogFormat; readonly colour: boolean },
  signal: AbortSignal,
): Promise<void> {
  const clock = systemClock;
  const logger = createLogger({ level: config.logLevel, clock, ...how });
  const metrics = new MetricsRegistry(clock);
  logger.info('starting', { program: userAgent(), dryRun: config.dryRun });
  const phases = await phasesFor(config, { clock, logger, metrics });
  const server: Part = {
    name: 'metrics and health',
    start: async () => {
      if (config.metricsAddress === undefined) return;
      listening = await startHttpServer(config.metricsAddress, { metrics, health: manager, clock, logger });
      logger.info('metrics and health are served', { host: listening.host, port: listening.port });
    },
    stop: async () => listening?.close(),
  };
  let listening: ListeningServer | undefined;
  const manager: Manager = new Manager({
    phases: [{ name: 'telemetry', parts: [server] }, ...phases],
    clock,
    logger,
  });
  await manager.run(signal);
  logger.info('stopped');
}

interface Environment {
  readonly clock: typeof systemClock;
  readonly logger: ReturnType<typeof createLogger>;
  readonly metrics: MetricsRegistry;
}

async function phasesFor(config: RunConfig, environment: Environment): Promise<readonly Phase[]> {
  const { dir, state, secretsDir, prune } = config;
  if (dir === undefined) {
    // The Kubernetes client is large; a controller on a directory starts without it.
    const { clusterPhases } = await import('./cluster.ts');
    return clusterPhases(config, environment);
  }
  const paths = { paths: [dir], stateFile: state, secretsDir, prune };
  const adapter = await openDirectory(paths, { ...environment, randomBytes, digester: hmacDigester });
  return directoryPhases(adapter, { ...environment, ...config });
}
