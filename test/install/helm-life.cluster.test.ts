import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useHelm } from '../support/programs/helm.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { CHART, INSTALL } from './support/rendered.ts';
import { applyFolder, helmInstall } from './support/ways.ts';

const helm = useHelm();
const LIMIT_MS = 120_000;
const NEWER = 'afieldofthenextrelease';

/** Returns the chart as a future release may have it: with one more field in the schema of Deployments. */
function nextChart(): string {
  const folder = temporaryFolder();
  cpSync(CHART, folder.path, { recursive: true });
  const file = join(folder.path, 'templates', 'crd-deployments.yaml');
  const crd = readFileSync(file, 'utf8');
  const changed = crd.replace(/^( +)approval:\n/m, `$1${NEWER}: { type: string }\n$1approval:\n`);
  expect(changed).not.toBe(crd);
  writeFileSync(file, changed);
  return folder.path;
}

const DEPLOYMENT = JSON.stringify({
  apiVersion: 'dms-operator.dev/v1alpha1',
  kind: 'Deployment',
  metadata: { name: 'agent', namespace: 'team-a' },
  spec: { source: 'external_container' },
});

describe('a release', () => {
  const cluster = useOwnControlPlane();
  const run = (...args: readonly string[]): Promise<string> => helm.output(args, cluster().kubeconfigFile);
  const kubectl = async (args: readonly string[], stdin = ''): Promise<string> => {
    const { code, stdout, stderr } = await cluster().kubectl(args, { stdin });
    expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  const uid = (): Promise<string> =>
    kubectl(['get', 'dmsd/agent', '-n', 'team-a', '-o', 'jsonpath={.metadata.uid}']);
  const knowsNewField = async (): Promise<boolean> =>
    (await kubectl(['get', 'crd/deployments.dms-operator.dev', '-o', 'json'])).includes(NEWER);
  let made = '';

  beforeAll(async () => {
    await helmInstall({ helm, plane: cluster() }, 'dms-operator');
    await kubectl(['create', 'namespace', 'team-a']);
    await kubectl(['wait', '--for=condition=Established', 'crd/deployments.dms-operator.dev']);
    await kubectl(['apply', '-f', '-'], DEPLOYMENT);
    made = await uid();
  }, LIMIT_MS);

  it('that is upgraded brings the CRDs of the new chart, and keeps existing resources', async () => {
    expect(await knowsNewField()).toBe(false);
    await run('upgrade', 'dms-operator', nextChart(), '-n', 'dms-operator', '--set', 'replicas=3');
    expect(await knowsNewField()).toBe(true);
    expect(
      await kubectl([
        'get',
        'deployment.apps/dms-operator',
        '-n',
        'dms-operator',
        '-o',
        'jsonpath={.spec.replicas}',
      ]),
    ).toBe('3');
    expect(await uid()).toBe(made);
  });

  it('that is rolled back restores the old CRDs', async () => {
    await run('rollback', 'dms-operator', '1', '-n', 'dms-operator');
    expect(await knowsNewField()).toBe(false);
    expect(await uid()).toBe(made);
  });

  it('that no longer installs the CRDs keeps them', async () => {
    await run('upgrade', 'dms-operator', CHART, '-n', 'dms-operator', '--set', 'crds.install=false');
    expect(await uid()).toBe(made);
  });

  it('that is uninstalled leaves CRDs and existing resources, and nothing else', async () => {
    await run('upgrade', 'dms-operator', CHART, '-n', 'dms-operator', '--reset-values');
    await run('uninstall', 'dms-operator', '-n', 'dms-operator');
    expect(await uid()).toBe(made);
    const left = await kubectl([
      ...[
        'get',
        'deployments.apps,services,serviceaccounts,roles,rolebindings,pdb,networkpolicies',
        '-o',
        'name',
      ],
      ...['-n', 'dms-operator'],
    ]);
    expect(left.split('\n').filter((line) => line.includes('dms-operator'))).toEqual([]);
    const cluster = await kubectl(['get', 'clusterroles,clusterrolebindings,crds', '-o', 'name']);
    expect(cluster.split('\n').filter((line) => line.includes('dms-operator'))).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/clusterconnections.dms-operator.dev',
      'customresourcedefinition.apiextensions.k8s.io/connections.dms-operator.dev',
      'customresourcedefinition.apiextensions.k8s.io/deployments.dms-operator.dev',
    ]);
  });

  it('that is installed again adopts the CRDs that it left', async () => {
    await helmInstall({ helm, plane: cluster() }, 'dms-operator');
    expect(await uid()).toBe(made);
    await run('uninstall', 'dms-operator', '-n', 'dms-operator');
  });

  it('adopts an installation by kubectl', async () => {
    await applyFolder(cluster(), INSTALL);
    await run(
      ...['install', 'dms-operator', CHART, '-n', 'dms-operator', '--take-ownership'],
      ...['--set', 'image.repository=registry.example.com/dms-operator', '--force-conflicts'],
    );
    const image = 'jsonpath={.spec.template.spec.containers[0].image}';
    expect(await kubectl(['get', 'deployment.apps/dms-operator', '-n', 'dms-operator', '-o', image])).toMatch(
      /^registry\.example\.com\/dms-operator:/,
    );
    expect(await uid()).toBe(made);
  });
});
