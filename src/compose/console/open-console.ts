import { type ConsoleServer, startConsoleServer } from '../../console/server/start-console-server.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import { type SessionOptions, openSession } from '../session/session.ts';
import type { ConsoleSource } from './console-source.ts';
import { SourceBackend } from './source-backend.ts';
import type { PlanRequest } from '../../views/screens/console-messages.ts';
import { type PlanNow, planNowOf } from '../../views/screens/plan-now.ts';
import { commandEnvironment } from '../session/command-environment.ts';
import { planOne } from '../session/plan-all.ts';

/** The resources of the console, and its options. */
export interface ConsoleOptions {
  readonly session: SessionOptions;
  /** The port; 0 means any free port. */
  readonly port: number;
  readonly allowActions: boolean;
  /** Writes a value as YAML. */
  readonly yaml: (value: unknown) => string;
  /** Prints lines about errors. */
  readonly err: (text: string) => void;
}

/** Watches the chosen resources and serves the page. Throws one line if either is impossible. */
export async function openConsole(options: ConsoleOptions, signal: AbortSignal): Promise<ConsoleServer> {
  const { allowActions, port, yaml } = options;
  const clock = systemClock;
  const output = { write: (line: string) => options.err(line) };
  const logger = createLogger({ level: 'error', format: 'pretty', clock, output });
  const backend = new SourceBackend({ clock, allowActions, yaml, plan: planOnce });
  const source = await openSource(options.session, { logger, onChange: () => backend.changed() }, signal);
  backend.show(source);
  try {
    const server = await startConsoleServer({ port, allowActions, backend, clock, logger });
    return {
      ...server,
      close: async () => {
        await server.close();
        await source.close();
      },
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function openSource(
  session: SessionOptions,
  parts: { readonly logger: Logger; readonly onChange: () => void },
  signal: AbortSignal,
): Promise<ConsoleSource> {
  const environment = { ...parts, clock: systemClock };
  const { cluster } = session;
  if (cluster === undefined) {
    const { folderSource } = await import('./folder-source.ts');
    return folderSource(session, environment);
  }
  const { clusterSource } = await import('./cluster-source.ts');
  return clusterSource({ ...session, cluster }, environment, signal);
}

/** Reads one resource and its service once, as `plan` does; returns undefined if there is no such resource. */
async function planOnce(
  source: ConsoleSource,
  { namespace, name }: PlanRequest,
  signal: AbortSignal,
): Promise<PlanNow | undefined> {
  const nothing = async (): Promise<Uint8Array> => new Uint8Array();
  const environment = commandEnvironment({ readStdin: nothing, err: () => undefined });
  const session = await openSession(source.planOptions(namespace), environment, signal);
  try {
    const resource = session.deployments.find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
    );
    if (resource === undefined) return undefined;
    const planned = await planOne(session, resource, { requests: false }, signal);
    return planNowOf(planned, environment.clock.now());
  } finally {
    await session.close();
  }
}
