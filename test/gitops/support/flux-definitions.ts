import { join } from 'node:path';
import { expect } from 'vitest';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { folderOfModule } from '../../support/programs/go-module.ts';

/** The controllers of Flux, and the definitions that the examples need. */
const DEFINITIONS = {
  'github.com/fluxcd/kustomize-controller': 'kustomize.toolkit.fluxcd.io_kustomizations.yaml',
  'github.com/fluxcd/source-controller': 'source.toolkit.fluxcd.io_gitrepositories.yaml',
};

/** Installs the definitions of Flux and its namespace. Returns false if there is no Go to download them. */
export async function installFluxDefinitions(cluster: ControlPlane): Promise<boolean> {
  for (const [module, file] of Object.entries(DEFINITIONS)) {
    const folder = await folderOfModule('flux-crds', module);
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
