import { beforeAll, expect, test } from 'vitest';
import { pathExists, textOf } from '../docs/support.ts';
import { DOWNLOAD_LIMIT_MS } from '../support/programs/go-module.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { installFluxDefinitions } from './support/flux-definitions.ts';
import { documentsIn } from './support/kustomize.ts';

const cluster = useControlPlane();
const SYNC = 'manifests/gitops/flux/sync.yaml';
let defined = false;

beforeAll(async () => {
  defined = await installFluxDefinitions(cluster());
}, DOWNLOAD_LIMIT_MS);

function applied(text: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  return cluster().kubectl(apply, { stdin: text });
}

test('the example is valid under the definitions of Flux', async ({ skip }) => {
  skip(!defined, 'there is no go command on the PATH');
  const { code, stderr } = await applied(textOf(SYNC));
  expect(code, stderr).toBe(0);
  const wrong = await applied(textOf(SYNC).replace('prune: true', 'prun: true'));
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('prun') as string });
});

test('the example waits longer than the rollout limit, for an existing folder', () => {
  const sync = documentsIn(textOf(SYNC)).find(({ kind }) => kind === 'Kustomization');
  const spec = sync?.['spec'] as { readonly path: string; readonly timeout: string; readonly wait: boolean };
  expect(pathExists(spec.path)).toBe(true);
  expect(spec).toMatchObject({ wait: true, timeout: '40m' });
});
