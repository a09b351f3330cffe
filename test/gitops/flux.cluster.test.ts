import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { pathExists, ROOT, textOf } from '../docs/support.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';
import { documentsIn } from './support/kustomize.ts';

const cluster = useControlPlane();
const SYNC = 'manifests/gitops/flux/sync.yaml';
const MODULES = join(ROOT, 'test', 'support', 'go', 'flux-crds');
const DOWNLOAD_LIMIT_MS = 120_000;

/** Controllers of Flux, and which of their definitions the example needs. */
const DEFINITIONS = {
  'github.com/fluxcd/kustomize-controller': 'kustomize.toolkit.fluxcd.io_kustomizations.yaml',
  'github.com/fluxcd/source-controller': 'source.toolkit.fluxcd.io_gitrepositories.yaml',
};

/** The folder of a module as the Go toolchain keeps it, fetched once per machine. */
async function folderOf(module: string): Promise<string> {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], { cwd: MODULES });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

let withoutGo = false;

beforeAll(async () => {
  for (const [module, file] of Object.entries(DEFINITIONS)) {
    const folder = await folderOf(module).catch((error: { code?: unknown }) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (folder === undefined) return void (withoutGo = true);
    const apply = ['apply', '--server-side', '-f', join(folder, 'config', 'crd', 'bases', file)];
    const { code, stderr } = await cluster().kubectl(apply);
    expect(code, stderr).toBe(0);
  }
  await cluster().kubectl(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']);
  await cluster().kubectl(['create', 'namespace', 'flux-system']);
}, DOWNLOAD_LIMIT_MS);

function applied(text: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  return cluster().kubectl(apply, { stdin: text });
}

test('the example is what the definitions of Flux ask for', async ({ skip }) => {
  skip(withoutGo, 'there is no go command on the PATH');
  const { code, stderr } = await applied(textOf(SYNC));
  expect(code, stderr).toBe(0);
  const wrong = await applied(textOf(SYNC).replace('prune: true', 'prun: true'));
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('prun') as string });
});

test('the example waits longer than a rollout may take, for a folder that exists', () => {
  const sync = documentsIn(textOf(SYNC)).find(({ kind }) => kind === 'Kustomization');
  const spec = sync?.['spec'] as { readonly path: string; readonly timeout: string; readonly wait: boolean };
  expect(pathExists(spec.path)).toBe(true);
  expect(spec).toMatchObject({ wait: true, timeout: '40m' });
});
