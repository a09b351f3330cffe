import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { ROOT } from '../../docs/support.ts';
import type { ControlPlane } from '../../support/control-plane.ts';

const MODULES = join(ROOT, 'test', 'support', 'go', 'flux-crds');

/** How long fetching the definitions may take, the first time on a machine. */
export const DOWNLOAD_LIMIT_MS = 120_000;

/** Controllers of Flux, and which of their definitions the examples need. */
const DEFINITIONS = {
  'github.com/fluxcd/kustomize-controller': 'kustomize.toolkit.fluxcd.io_kustomizations.yaml',
  'github.com/fluxcd/source-controller': 'source.toolkit.fluxcd.io_gitrepositories.yaml',
};

/** Installs the definitions of Flux and its namespace. False where there is no Go to fetch them with. */
export async function installFluxDefinitions(cluster: ControlPlane): Promise<boolean> {
  for (const [module, file] of Object.entries(DEFINITIONS)) {
    const folder = await folderOf(module);
    if (folder === undefined) return false;
    const apply = ['apply', '--server-side', '-f', join(folder, 'config', 'crd', 'bases', file)];
    const { code, stderr } = await cluster.kubectl(apply);
    expect(code, stderr).toBe(0);
  }
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'flux-system' } };
  await cluster.kubectl(['apply', '--server-side', '-f', '-'], { stdin: JSON.stringify(namespace) });
  return true;
}

/** The folder of a module as the Go toolchain keeps it, fetched once per machine; absent where there is no Go. */
async function folderOf(module: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], {
      cwd: MODULES,
    });
    return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
