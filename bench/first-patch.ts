/**
 * `node bench/first-patch.ts [--runs N] [--json]`: from the start of the controller's process to the arrival of the
 * first PATCH at the service, with one Deployment to change. The API server and its etcd are real and up, the simulated
 * service is a process of its own, the controller is the bundle; every run begins with a status that knows nothing.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoggedRequest } from '../src/simulator/request-log.ts';
import { type ControlPlane, startControlPlane } from '../test/support/control-plane.ts';
import { buildProgram, type Program, type Running } from './support/program.ts';
import { benchOptions, progress, tellResults } from './support/report.ts';

const TARGET_MS = 1_500;
const PATCH_LIMIT_MS = 30_000;
const NAME = 'bench-agent';

/** Milliseconds after the start of the process. */
interface Run {
  /** The program is loaded and says so. */
  readonly startedMs: number;
  /** Every cache is filled. */
  readonly readyMs: number;
  /** The service is asked for the first time. */
  readonly firstCallMs: number;
  readonly firstPatchMs: number;
}

const SEED = {
  deployments: [
    {
      name: NAME,
      source: 'external_container',
      source_config: { resource_spec: { cpu: 0.5, memory_mb: 512 } },
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: { API_TOKEN: 'by-hand' },
    },
  ],
};

/** What is declared. The Connection says no more than where the service is: everything else is the default. */
function declared(namespace: string, url: string): readonly object[] {
  const apiVersion = 'dms-operator.dev/v1alpha1';
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: NAME, namespace },
      stringData: { token: 'from-the-cluster' },
    },
    { apiVersion, kind: 'Connection', metadata: { name: 'default', namespace }, spec: { baseURL: url } },
    {
      apiVersion,
      kind: 'Deployment',
      metadata: { name: NAME, namespace },
      spec: {
        source: 'external_container',
        sourceConfig: { resourceSpec: { cpu: 1 } },
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
        secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: NAME, key: 'token' } } }],
        secretsOwnership: 'Exclusive',
      },
    },
  ];
}

async function measuredRun(plane: ControlPlane, program: Program, namespace: string): Promise<Run> {
  const seedFile = join(program.folder, 'seed.json');
  await writeFile(seedFile, JSON.stringify(SEED));
  const service = program.start(['simulate', '--port', '0', '--seed', seedFile]);
  try {
    const url = /http:\S+/.exec(await service.line('simulated service at'))?.[0] ?? '';
    const manifest = declared(namespace, url).map((object) => JSON.stringify(object));
    await kubectl(plane, ['apply', '-f', '-'], manifest.join('\n---\n'));
    const operator = program.start([
      ...['run', '--kubeconfig', plane.kubeconfigFile, '--operator-namespace', namespace],
      ...['--metrics-address', '127.0.0.1:0', '--log-format', 'json'],
    ]);
    try {
      return await timesOf(operator, url);
    } finally {
      await operator.stop();
      await kubectl(plane, ['delete', '-n', namespace, 'dmsd,dmsc', '--all', '--wait=false']);
    }
  } finally {
    await service.stop();
  }
}

async function timesOf(operator: Running, url: string): Promise<Run> {
  const since = (ms: number): number => ms - operator.startMs;
  const patch = await firstPatch(operator, url);
  const calls = await requests(url);
  return {
    startedMs: since(timeOf(await operator.line('"msg":"starting"'))),
    readyMs: since(timeOf(await operator.line('"msg":"ready"'))),
    firstCallMs: since(calls[0]?.beganMs ?? Number.NaN),
    firstPatchMs: since(patch.beganMs),
  };
}

async function firstPatch(operator: Running, url: string): Promise<LoggedRequest> {
  const endMs = Date.now() + PATCH_LIMIT_MS;
  for (;;) {
    const found = (await requests(url)).find(({ operation }) => operation === 'patch');
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error(`no PATCH arrived:\n${operator.lines.slice(-20).join('\n')}`);
    // The time of arrival comes from the service's own log; asking more often would only take processor time away.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function requests(url: string): Promise<readonly LoggedRequest[]> {
  const answer = await fetch(new URL('/_simulator/requests', url));
  return (await answer.json()) as readonly LoggedRequest[];
}

function timeOf(line: string): number {
  const { time } = JSON.parse(line) as { readonly time: string | number };
  return new Date(time).getTime();
}

async function kubectl(plane: ControlPlane, args: readonly string[], stdin?: string): Promise<void> {
  const { code, stderr } = await plane.kubectl(args, stdin === undefined ? {} : { stdin });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
}

const options = benchOptions(7);
progress('building the bundle');
const program = await buildProgram();
try {
  progress('starting kube-apiserver and etcd (built once per machine, which takes minutes)');
  const plane = await startControlPlane();
  try {
    await plane.installCRDs();
    const namespace = await plane.createNamespace('bench');
    const runs: Run[] = [];
    for (let run = 0; run <= options.runs; run += 1) {
      const times = await measuredRun(plane, program, namespace);
      progress(
        `${run === 0 ? 'warm-up' : `run ${run} of ${options.runs}`}: first PATCH after ${times.firstPatchMs} ms`,
      );
      // The first one reads the bundle from the disk and makes the digest key, and is not counted.
      if (run > 0) runs.push(times);
    }
    tellResults(
      'first-patch',
      [
        { name: 'program loaded', samplesMs: runs.map(({ startedMs }) => startedMs) },
        { name: 'caches filled', samplesMs: runs.map(({ readyMs }) => readyMs) },
        { name: 'first call to the service', samplesMs: runs.map(({ firstCallMs }) => firstCallMs) },
        {
          name: 'first PATCH at the service',
          samplesMs: runs.map(({ firstPatchMs }) => firstPatchMs),
          targetMs: TARGET_MS,
        },
      ],
      options,
    );
  } finally {
    await plane.stop();
  }
} finally {
  await program.remove();
}
