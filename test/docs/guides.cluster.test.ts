import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { deploymentYaml } from '../directory/support/manifests.ts';
import { DOWNLOAD_LIMIT_MS, installFluxDefinitions } from '../gitops/support/flux-definitions.ts';
import { addCommands, OUR_PROGRAM, runInShell } from '../gitops/support/shell.ts';
import { useOwnControlPlane } from '../support/shared-control-plane.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { commandLines, pages, ROOT } from './support.ts';

const cluster = useOwnControlPlane();
const GUIDES = pages().filter((page) => page.startsWith('docs/guides/gitops-'));

/** Commands that are run here; the others are parsed (references.test.ts), run with a service (ci.test.ts), or npm's. */
const RUN = /^(?:kubectl |dms-operator validate )/;
const LEFT = /^(?:npm ci|npm pack|npm install --global \S+|dms-operator (?:plan|run) .*)$/;

let fluxIsDefined = false;

beforeAll(async () => {
  await cluster().installCRDs();
  fluxIsDefined = await installFluxDefinitions(cluster());
  await cluster().kubectl(['create', 'namespace', 'argocd']);
  const settings = [
    'create',
    'configmap',
    'argocd-cm',
    '-n',
    'argocd',
    '--from-literal=url=https://argocd.example.com',
  ];
  await cluster().kubectl(settings);
}, DOWNLOAD_LIMIT_MS);

/** A checkout with a folder of manifests, and the commands that guides use. */
function checkout(): TemporaryFolder {
  const folder = temporaryFolder({ 'deploy/agent.yaml': deploymentYaml('agent') });
  symlinkSync(join(ROOT, 'manifests'), folder.at('manifests'));
  const { kubectlFile, kubeconfigFile } = cluster();
  const kubectl = `#!/bin/sh\nexec '${kubectlFile}' --kubeconfig='${kubeconfigFile}' "$@"\n`;
  addCommands(folder, { kubectl, 'dms-operator': OUR_PROGRAM });
  return folder;
}

test.each(GUIDES)('the commands of %s do what they say', async (guide) => {
  const lines = commandLines(guide);
  expect(lines.filter((line) => !RUN.test(line) && !LEFT.test(line))).toEqual([]);
  const folder = checkout();
  for (const line of lines.filter((each) => RUN.test(each))) {
    if (line.includes('/flux/') && !fluxIsDefined) continue;
    const { code, out } = await runInShell(line, folder);
    expect(code, `${line}\n${out}`).toBe(0);
  }
});

test('what Argo CD is told stands beside what it knew', async () => {
  const { stdout } = await cluster().kubectl(['get', 'configmap', 'argocd-cm', '-n', 'argocd', '-o', 'json']);
  const { data } = JSON.parse(stdout) as { readonly data: Readonly<Record<string, string>> };
  expect(Object.keys(data).toSorted()).toEqual([
    'resource.customizations.actions.dms-operator.dev_Deployment',
    'resource.customizations.health.dms-operator.dev_ClusterConnection',
    'resource.customizations.health.dms-operator.dev_Connection',
    'resource.customizations.health.dms-operator.dev_Deployment',
    'url',
  ]);
});
