import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { GENEROUS } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import type { Program } from './support/program.ts';
import { type ServiceProcess, startService } from './support/service-process.ts';

/** The numbers of manifests, and the time limits of an `apply` without changes. */
const SIZES = [
  { size: 100, restMs: 1_000 },
  { size: 500, restMs: 2_000 },
  { size: 2_000, restMs: 4_000 },
];
const CHANGED = 100;
/** The default limits of a connection, for which the first apply waits. */
const DEFAULT_RATE = { requestsPerSecond: 5, burst: 10, concurrency: 4 };
const WRITTEN = [
  '--import',
  join(import.meta.dirname, '..', 'test', 'support', 'watches', 'written-watch.ts'),
];

/** Measures directory mode at several sizes: the first `apply`, and an `apply` without changes. */
export const directoryApply: Benchmark = {
  name: 'directory-apply',
  about: 'how long apply takes over a folder, with 100 changes and with none, and what it writes',
  async run(context) {
    const measurements: Measurement[] = [];
    const changed = context.smoke ? 3 : CHANGED;
    for (const about of context.smoke ? [{ size: 10, restMs: 10_000 }] : SIZES)
      measurements.push(...(await measured(context, about, changed)));
    return measurements;
  },
};

async function measured(
  context: BenchContext,
  { size, restMs }: (typeof SIZES)[number],
  changed: number,
): Promise<readonly Measurement[]> {
  const program = await context.program();
  const names = Array.from({ length: size }, (_, at) => `agent-${at}`);
  const service = await startService(program, {
    semantics: 'rollout:instant',
    deployments: names.map((name) => ({
      name,
      source: 'external_container',
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    })),
  });
  try {
    const folder = await manifests(program, service, names, changed);
    context.progress(`${size} manifests, ${changed} changes`);
    const words = ['apply', '-f', folder, '--yes', '--timeout', '10m'];
    const first = program.start(words, { nodeWords: WRITTEN });
    const firstMs = await first.ended();
    const calls = await service.requests();
    const patches = calls.filter(({ method }) => method === 'PATCH').length;
    if (patches !== changed) throw new Error(`${patches} PATCHes for ${changed} changes`);
    const bytes = Number(/state bytes written: (\d+)/.exec(first.lines.join('\n'))?.[1]);
    await writeConnection(folder, service, GENEROUS);
    const samples: number[] = [];
    for (let run = context.runs ?? 3; run > 0; run -= 1) samples.push(await program.start(words).ended());
    const boundMs = (calls.length / DEFAULT_RATE.requestsPerSecond) * 1_000;
    const about = `${size.toLocaleString('en')} manifests`;
    return [
      { name: `apply with ${changed} changes, ${about}`, unit: 'ms', samples: [firstMs] },
      {
        name: `the same against its ${calls.length} calls at the rate limit, ${about}`,
        unit: '',
        samples: [firstMs / boundMs],
        target: atMost(1.1),
      },
      {
        name: `state written meanwhile, ${about}`,
        unit: 'KiB',
        samples: [bytes / 1024],
        target: atMost(20 * 1_000),
      },
      {
        name: `apply with nothing to do, ${about}`,
        unit: 'ms',
        samples,
        target: atMost(restMs),
      },
    ];
  } finally {
    await service.stop();
  }
}

/** A file for each deployment; the first ones want another image than the service has. */
async function manifests(
  program: Program,
  service: ServiceProcess,
  names: readonly string[],
  changed: number,
): Promise<string> {
  const folder = await mkdtemp(join(program.folder, 'manifests-'));
  await writeConnection(folder, service, DEFAULT_RATE);
  for (const [at, name] of names.entries()) {
    const sourceRevisionConfig = { imageURI: `registry.example.com/agent:${at < changed ? 2 : 1}` };
    await writeManifest(folder, name, {
      kind: 'Deployment',
      metadata: { name },
      spec: { deploymentRef: { name }, source: 'external_container', sourceRevisionConfig },
    });
  }
  return folder;
}

function writeConnection(folder: string, { url }: ServiceProcess, rateLimit: object): Promise<void> {
  const metadata = { name: 'default' };
  return writeManifest(folder, 'connection', {
    kind: 'Connection',
    metadata,
    spec: { baseURL: url, rateLimit },
  });
}

function writeManifest(folder: string, name: string, object: object): Promise<void> {
  const text = JSON.stringify({ apiVersion: 'dms-operator.dev/v1alpha1', ...object });
  return writeFile(join(folder, `${name}.yaml`), text);
}
