import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { at } from '../../src/api/problem.ts';
import { ROOT, textOf } from '../docs/support.ts';
import { documentsIn, type KubernetesDocument, only } from '../gitops/support/kustomize.ts';
import { CHART, INSTALL } from '../install/support/rendered.ts';
import { DOWNLOAD_LIMIT_MS } from '../support/programs/go-module.ts';
import { useHelm } from '../support/programs/helm.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installPrometheusDefinitions } from './support/prometheus-definitions.ts';
import { ALERTS, DASHBOARD } from './support/shipped.ts';

const cluster = useControlPlane();
const helm = useHelm();
const FOLDER = join(ROOT, 'manifests', 'monitoring');
const GUIDE = textOf('docs/guides/monitoring.md');
let defined = false;
let built = '';

async function kustomize(folder: string): Promise<string> {
  const { code, stdout, stderr } = await cluster().kubectl(['kustomize', folder]);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Returns a folder with a kustomization beside manifests. */
function overlaid(kustomization: string): string {
  const folder = temporaryFolder();
  const manifests = relative(realpathSync(folder.path), join(ROOT, 'manifests'));
  folder.write('kustomization.yaml', kustomization.replaceAll('../manifests', manifests));
  return folder.path;
}

/** Expects that the monitor selects the Service, with the job name of the alerts. */
function expectSelected(service: KubernetesDocument, monitor: KubernetesDocument): void {
  expect(service.metadata).toMatchObject({
    namespace: monitor.metadata['namespace'],
    labels: at(monitor, 'spec', 'selector', 'matchLabels') as object,
  });
  expect(at(service, 'spec', 'ports')).toMatchObject([{ name: 'http' }]);
  expect(at(monitor, 'spec', 'endpoints')).toMatchObject([{ port: 'http' }]);
  expect(at(service, 'metadata', 'labels', String(at(monitor, 'spec', 'jobLabel')))).toBe('dms-operator');
}

function applied(text: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  return cluster().kubectl(apply, { stdin: text });
}

beforeAll(async () => {
  defined = await installPrometheusDefinitions(cluster());
  await cluster().kubectl(['create', 'namespace', 'dms-operator']);
  built = await kustomize(FOLDER);
}, DOWNLOAD_LIMIT_MS);

test('manifests/monitoring is valid under the definitions of the Prometheus operator', async ({ skip }) => {
  skip(!defined, 'there is no go command on the PATH');
  const { code, stderr } = await applied(built);
  expect(code, stderr).toBe(0);
  const wrong = await applied(built.replace('jobLabel:', 'jobLable:'));
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('jobLable') as string });
});

test('its rules, its dashboard and its configuration equal the source files', () => {
  const groups = at(only(built, 'PrometheusRule'), 'spec', 'groups') as {
    readonly rules: readonly unknown[];
  }[];
  expect(groups.flatMap(({ rules }) => rules)).toEqual(ALERTS);
  const [dashboard, configuration] = documentsIn(built).filter(({ kind }) => kind === 'ConfigMap');
  expect(JSON.parse(String(at(dashboard, 'data', 'dms-operator.json')))).toEqual(DASHBOARD);
  expect(at(configuration, 'data', 'config.yaml')).toBe(
    textOf('manifests/monitoring/kube-state-metrics.yaml'),
  );
});

test('its ServiceMonitor finds the Service of the installation', async () => {
  expectSelected(only(await kustomize(INSTALL), 'Service'), only(built, 'ServiceMonitor'));
});

test('beside a Helm release it finds the Service of the chart, as the guide shows', async () => {
  const overlay = /^```yaml\n(?<yaml>resources:[^]*?)^```$/m.exec(GUIDE)?.groups?.['yaml'] ?? '';
  const monitor = only(await kustomize(overlaid(overlay)), 'ServiceMonitor');
  const release = ['template', 'agents', CHART, '--namespace', 'platform'];
  const service = only(await helm.output(release), 'Service');
  expectSelected(service, monitor);
  expect(service.metadata['namespace']).toBe('platform');
});

test('its rules about pods use the actual names of workload, pod and container', async () => {
  const release = ['template', 'agents', CHART, '--namespace', 'platform'];
  for (const rendered of [await kustomize(INSTALL), await helm.output(release)]) {
    const { metadata, spec } = only(rendered, 'Deployment');
    expect(metadata.name).toMatch(asked('deployment'));
    expect(`${metadata.name}-7c9d6b5f4-x2x4z`).toMatch(asked('pod'));
    const name = expect.stringMatching(asked('container')) as string;
    expect(at(spec, 'template', 'spec', 'containers')).toMatchObject([{ name }]);
  }
});

/** Returns the pattern that alerts use for a label that kube-state-metrics gives to workloads. */
function asked(label: string): RegExp {
  const [, value] = ALERTS.flatMap(
    ({ expr }) => new RegExp(`\\{[^}]*\\b${label}=~?"([^"]*)"`).exec(expr) ?? [],
  );
  return new RegExp(`^(?:${value ?? 'nothing'})$`);
}

test('one overlay may install everything in a namespace of its own, as the guide shows', async () => {
  const overlay = /^ {2}```yaml\n(?<yaml>[^]*?)^ {2}```$/m.exec(GUIDE)?.groups?.['yaml'] ?? '';
  const text = overlay.replaceAll(/^ {2}/gm, '');
  const everything = await kustomize(overlaid(`${text}namespace: elsewhere\n`));
  expect(everything).not.toContain('namespace: dms-operator');
  for (const kind of ['ServiceMonitor', 'PrometheusRule']) {
    const labels = { release: 'prometheus' };
    expect(only(everything, kind).metadata).toMatchObject({ namespace: 'elsewhere', labels });
  }
});

test('its role lets kube-state-metrics list our kinds, and nothing else', async () => {
  const name = 'dms-operator-kube-state-metrics';
  await cluster().installCRDs();
  await cluster().kubectl(['apply', '-f', join(FOLDER, 'kube-state-metrics-role.yaml')]);
  await cluster().kubectl([
    'create',
    'clusterrolebinding',
    name,
    `--clusterrole=${name}`,
    '--user=kube-state-metrics',
  ]);
  const kubeconfigFile = await cluster().userKubeconfig('kube-state-metrics');
  const codes = async (kinds: readonly string[]): Promise<readonly number[]> =>
    Promise.all(
      kinds.map(async (kind) => (await cluster().kubectl(['get', '-A', kind], { kubeconfigFile })).code),
    );
  expect(await codes(['dmsd', 'dmsc', 'dmscc', 'crds'])).toEqual([0, 0, 0, 0]);
  expect(await codes(['secrets', 'configmaps', 'pods'])).toEqual([1, 1, 1]);
});
