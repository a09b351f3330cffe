/**
 * `npm run dev`: runs a real kube-apiserver and etcd, the simulated service and the controller as separate processes,
 * and applies the demo's manifests. Runs until Ctrl-C; then it stops everything and leaves nothing behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ControlPlane, startControlPlane } from '../test/support/control-plane/control-plane.ts';

const ROOT = join(import.meta.dirname, '..');
const MAIN = join(ROOT, 'src', 'main.ts');
const MANIFESTS = join(ROOT, 'manifests', 'examples', 'demo');
const SEED = join(import.meta.dirname, 'dev-seed.yaml');
/** The address that the manifests name; the simulator takes any free port instead. */
const ADDRESS = 'http://127.0.0.1:7070';
const NAMESPACE = 'demo';
const OPERATOR_NAMESPACE = 'dms-operator';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

process.exitCode = await dev(stop.signal).catch((error: unknown) => {
  say(`dev: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});

async function dev(signal: AbortSignal): Promise<number> {
  say('dev: starting etcd and kube-apiserver');
  const cluster = await startControlPlane();
  const children: ChildProcess[] = [];
  try {
    await cluster.installCRDs();
    const simulator = start(children, ['simulate', '--port', '0', '--seed', SEED], 'pipe');
    const url = await addressSaidBy(simulator);
    await applyDemo(cluster, url);
    tellWhatToTry(cluster, url);
    start(children, [
      ...['run', '--kubeconfig', cluster.kubeconfigFile, '--operator-namespace', OPERATOR_NAMESPACE],
      ...['--metrics-address', '127.0.0.1:0'],
    ]);
    return await stoppedOrBroken(children, signal);
  } finally {
    say('dev: stopping');
    await Promise.all(children.map(ended));
    await cluster.stop();
  }
}

function start(
  children: ChildProcess[],
  args: readonly string[],
  stdout: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', stdout, 'inherit'] });
  children.push(child);
  return child;
}

async function addressSaidBy(simulator: ChildProcess): Promise<string> {
  if (simulator.stdout === null) throw new Error('the simulator has no output to read');
  for await (const line of createInterface({ input: simulator.stdout })) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the simulator ended before it served');
}

async function applyDemo(cluster: ControlPlane, url: string): Promise<void> {
  for (const namespace of [NAMESPACE, OPERATOR_NAMESPACE])
    await kubectl(cluster, ['create', 'namespace', namespace]);
  await kubectl(cluster, ['config', 'set-context', '--current', `--namespace=${NAMESPACE}`]);
  for (const file of (await readdir(MANIFESTS)).toSorted()) {
    const manifest = await readFile(join(MANIFESTS, file), 'utf8');
    await kubectl(cluster, ['apply', '-f', '-'], manifest.replaceAll(ADDRESS, url));
  }
}

async function kubectl(cluster: ControlPlane, args: readonly string[], stdin = ''): Promise<void> {
  const { code, stderr } = await cluster.kubectl(args, { stdin });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
}

function tellWhatToTry(cluster: ControlPlane, url: string): void {
  const withCluster = `KUBECONFIG=${cluster.kubeconfigFile} ${cluster.kubectlFile}`;
  const edit = { name: 'docs-agent', path: 'source_config.build_on_push', value: true };
  const image = { spec: { sourceRevisionConfig: { imageURI: 'registry.example.com/support-agent:1.5.0' } } };
  say(`
The simulated service is at ${url}, the controller's log follows. Ctrl-C ends everything. In another terminal:

  # what there is, and what becomes of it
  ${withCluster} get dms
  ${withCluster} get dmsd -w

  # ask for another image: one PATCH, one new revision
  ${withCluster} patch dmsd support-agent --type=merge -p '${JSON.stringify(image)}'

  # change a deployment behind the controller's back, and see it corrected, half a minute after the last write at the
  # earliest: until then the service may still be showing what it made of that write
  curl -X POST ${url}/_simulator/edit -d '${JSON.stringify(edit)}'
  ${withCluster} events --for deployments.dms-operator.dev/docs-agent
`);
}

/** Answers the exit code: 0 when asked to stop, 1 when a process ended by itself. */
async function stoppedOrBroken(children: readonly ChildProcess[], signal: AbortSignal): Promise<number> {
  const stopped = new Promise<number>((resolve) => {
    if (signal.aborted) resolve(0);
    else signal.addEventListener('abort', () => resolve(0), { once: true });
  });
  const broken = children.map(async (child) => {
    await exit(child);
    // Ctrl-C reaches the children too: a child that ends because of it has not failed.
    return signal.aborted ? 0 : 1;
  });
  return Promise.race([stopped, ...broken]);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await exit(child);
}

async function exit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
