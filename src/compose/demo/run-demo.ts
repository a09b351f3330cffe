import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { openDirectory } from '../../directory/store/directory-adapter.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { DIRECT } from '../../model/connection/egress.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { hmacDigester } from '../../runtime/process/hmac-digester.ts';
import { Manager } from '../../runtime/process/manager.ts';
import { scaledClock } from '../../runtime/process/system-clock.ts';
import { serveSimulator } from '../../simulator/server/simulator-server.ts';
import { deploymentSeed, EMPTY_SEED, type ServiceSeed } from '../../simulator/state/service-seed.ts';
import type { SemanticsPatch } from '../../simulator/switches/semantics.ts';
import { SimulatedService } from '../../simulator/server/simulated-service.ts';
import { MetricsRegistry } from '../../telemetry/metrics-registry.ts';
import { type ClusterlessOptions, directoryPhases } from '../operator/directory-phases.ts';
import { type DemoListener, type DemoWorld, playDemo, requestTeller } from './play-demo.ts';

/** The factor by which the demo's clock is faster than real time; nothing else differs from production. */
export const DEMO_SPEED = 10;

/** The same factor for a demo on a page, where a person needs time to see every step. */
export const DEMO_SPEED_TO_LOOK_AT = 2;

/** Settings of the demo. */
export interface DemoOptions {
  /** Folder of the manifests; the demo works on a copy. */
  readonly manifests: string;
  readonly switches: SemanticsPatch;
  readonly speed: number;
  /** Opens a page that shows the demo's folder; if absent, the demo only prints. */
  readonly show?: ((folder: string) => Promise<DemoShow>) | undefined;
}

/** A page that shows the demo's folder. */
export interface DemoShow {
  /** The pause before the first step. */
  readonly pauseMs: number;
  /** Called after the last step; resolves when the page is no longer needed. */
  stay(resources: readonly DeploymentResource[]): Promise<void>;
  close(): Promise<void>;
}

/** The address in the manifests of the demo, which the address of the simulator replaces. */
const ADDRESS = 'http://127.0.0.1:7070';

/**
 * Runs the demo. Resolves with the resources at the end, or throws an error that names the missing event.
 */
export async function runDemo(
  { manifests, switches, speed, show }: DemoOptions,
  listener: DemoListener,
  signal: AbortSignal,
): Promise<readonly DeploymentResource[]> {
  const clock = scaledClock(speed);
  const copy = await mkdtemp(join(tmpdir(), 'dms-operator-demo-'));
  const service = simulatedService(clock);
  service.setSemantics(switches);
  const server = await serveSimulator({ service });
  let shown: DemoShow | undefined;
  try {
    await copyManifests(manifests, copy, server.url);
    shown = await show?.(copy);
    if (shown !== undefined) await clock.sleep(shown.pauseMs * speed, signal);
    const resources = await operate({ folder: copy, service, clock, listener }, signal);
    await shown?.stay(resources);
    return resources;
  } finally {
    await shown?.close();
    await server.close();
    await rm(copy, { recursive: true, force: true });
  }
}

async function operate(
  {
    folder,
    service,
    clock,
    listener,
  }: Pick<DemoWorld, 'folder' | 'service' | 'clock'> & { readonly listener: DemoListener },
  signal: AbortSignal,
): Promise<readonly DeploymentResource[]> {
  const logger = listeningLogger(listener);
  const adapter = await openDirectory(
    { paths: [folder], prune: false },
    { clock, logger, randomBytes, digester: hmacDigester },
  );
  const metrics = new MetricsRegistry(clock);
  const options: ClusterlessOptions = { workers: 8, dryRun: false, egress: DIRECT, clock, logger, metrics };
  const tellRequests = requestTeller(service, listener);
  const events: EventRecorder = {
    record: (about, event) => {
      tellRequests();
      listener.event(about.metadata.name, event);
    },
  };
  const manager = new Manager({ phases: directoryPhases({ ...adapter, events }, options), clock, logger });
  const ending = new AbortController();
  const running = manager.run(AbortSignal.any([signal, ending.signal]));
  try {
    await Promise.race([
      playDemo({ folder, service, clock, list: () => adapter.list() }, { listener, tellRequests }, signal),
      running,
    ]);
    return adapter.list();
  } finally {
    ending.abort();
    await running;
  }
}

/** Makes a service with two deployments: one with an old image, one that follows another branch. */
function simulatedService(clock: Clock): SimulatedService {
  const seed: ServiceSeed = {
    ...EMPTY_SEED,
    semantics: {
      auth: { kind: 'header', name: 'X-Api-Key', value: 'demo-key' },
      secretsEcho: 'stars',
      rollout: { kind: 'after', seconds: 8 },
    },
    deployments: [
      deploymentSeed('support-agent', {
        sourceConfig: {
          resource_spec: { min_scale: 1, max_scale: 1, cpu: 0.5, memory_mb: 512, db_storage_gi: 10 },
        },
        revisionConfig: { image_uri: 'registry.example.com/support-agent:1.3.0' },
        secrets: [{ name: 'API_TOKEN', value: 'set-by-hand' }],
      }),
      deploymentSeed('docs-agent', {
        source: 'codehost',
        sourceConfig: { build_on_push: true, repo_url: 'https://code.example.com/docs-agent' },
        revisionConfig: { repo_ref: 'main', graph_config_path: 'agent.json' },
      }),
    ],
  };
  return new SimulatedService({ clock, seed });
}

async function copyManifests(from: string, to: string, url: string): Promise<void> {
  await cp(from, to, { recursive: true });
  for (const file of await readdir(to)) {
    const path = join(to, file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(ADDRESS, url));
  }
}

/** Returns a logger that passes only log lines about writes to the listener, for the timeline. */
function listeningLogger(listener: DemoListener): Logger {
  const logger: Logger = {
    debug: () => {},
    info: (message, fields) => listener.log(message, fields ?? {}),
    warn: (message, fields) => listener.log(message, fields ?? {}),
    error: (message, fields) => listener.log(message, fields ?? {}),
    child: () => logger,
  };
  return logger;
}
