import { beforeAll, expect, test } from 'vitest';
import { deploymentYaml } from '../directory/support/manifests.ts';
import { installFluxDefinitions } from '../gitops/support/flux-definitions.ts';
import { DOWNLOAD_LIMIT_MS } from '../support/programs/go-module.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { tellStory } from './story/teller.ts';
import { pages } from './support.ts';

const cluster = useOwnControlPlane();
const GUIDES = pages().filter((page) => page.startsWith('docs/guides/gitops-'));

/**
 * Commands that do not run here: they are parsed (references.test.ts), run with a service (ci.test.ts), or belong to
 * npm.
 */
const LEFT = /^(?:npm |echo "\$PACKAGE_SHA256 |dms-operator (?:plan|run) )/;
const LEFT_WITHOUT_FLUX = /^(?:npm |echo "\$PACKAGE_SHA256 |dms-operator (?:plan|run) |kubectl .*\/flux\/)/;

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

test.each(GUIDES)('the commands of %s work as described', async (guide) => {
  await tellStory(guide, {
    cluster: cluster(),
    files: { 'deploy/agent.yaml': deploymentYaml('agent') },
    leave: fluxIsDefined ? LEFT : LEFT_WITHOUT_FLUX,
  });
});

test('the settings for Argo CD are added to the existing ones', async () => {
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
