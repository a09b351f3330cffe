import { type ConsoleServer, startConsoleServer } from '../../console/server/start-console-server.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import type { SessionOptions } from '../session/session.ts';
import type { ConsoleSource } from './console-source.ts';
import { planOnce } from './plan-once.ts';
import { SourceBackend } from './source-backend.ts';

/** Where resources are, and how they are shown. */
export interface ConsoleOptions {
  readonly session: SessionOptions;
  /** 0: a free one. */
  readonly port: number;
  readonly allowActions: boolean;
  /** Writes a value as YAML. */
  readonly yaml: (value: unknown) => string;
  /** Takes lines about what went wrong. */
  readonly err: (text: string) => void;
}

/** Watches what is meant and serves the page. Throws one line where either cannot be. */
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
