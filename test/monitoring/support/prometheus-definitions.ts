import { join } from 'node:path';
import { expect } from 'vitest';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { folderOfModule } from '../../support/programs/go-module.ts';

const MODULE = 'github.com/prometheus-operator/prometheus-operator';
const KINDS = ['prometheusrules', 'servicemonitors'];

/**
 * Installs the definitions of the Prometheus operator that we use. Returns false if there is no Go to download them.
 */
export async function installPrometheusDefinitions(cluster: ControlPlane): Promise<boolean> {
  const folder = await folderOfModule('prometheus-crds', MODULE);
  if (folder === undefined) return false;
  for (const kind of KINDS) {
    const file = join(folder, 'example', 'prometheus-operator-crd', `monitoring.coreos.com_${kind}.yaml`);
    const { code, stderr } = await cluster.kubectl(['apply', '--server-side', '-f', file]);
    expect(code, stderr).toBe(0);
  }
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']);
  return true;
}
