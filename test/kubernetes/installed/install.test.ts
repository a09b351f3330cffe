import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { readRunConfig } from '../../../src/cli/flags/read-config.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const INSTALL = join(ROOT, 'manifests', 'install');
const NAMESPACE = 'dms-operator';
const WORKLOADS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: { readonly httpGet: object };
  readonly readinessProbe: { readonly httpGet: object };
  readonly securityContext: Readonly<Record<string, unknown>>;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly terminationGracePeriodSeconds: number;
  };
}

const cluster = useOwnControlPlane();
let template: PodTemplate;

beforeAll(async () => {
  const { code, stderr } = await cluster().kubectl(['apply', '--server-side', '-k', INSTALL]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { json } = await cluster().request('GET', `${WORKLOADS}/dms-operator`);
  template = (json as { spec: { template: PodTemplate } }).spec.template;
});

describe('kubectl apply -k manifests/install, on an empty cluster', () => {
  it('installs the custom resources', async () => {
    const { stdout } = await cluster().kubectl(['get', 'crds', '-o', 'name']);

    expect(stdout.trim().split('\n')).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/clusterconnections.dms-operator.dev',
      'customresourcedefinition.apiextensions.k8s.io/connections.dms-operator.dev',
      'customresourcedefinition.apiextensions.k8s.io/deployments.dms-operator.dev',
    ]);
  });

  it('changes nothing when it is repeated, server-side or not', async () => {
    const before = await installed();
    for (const how of [['--server-side'], ['--server-side=false']]) {
      const { code, stderr } = await cluster().kubectl(['apply', ...how, '-k', INSTALL]);
      expect(code, stderr).toBe(0);
    }
    expect(await installed()).toEqual(before);
  });

  it('passes strict field validation of an API server that knows all fields', async () => {
    const { code, stderr } = await cluster().kubectl([
      ...['apply', '--server-side', '--validate=strict', '--dry-run=server', '-k', INSTALL],
    ]);
    expect(code, stderr).toBe(0);
  });

  it('moves as a whole if an overlay sets another namespace', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
    try {
      const base = { resources: [relative(await realpath(folder), INSTALL)], namespace: 'elsewhere' };
      await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(base));

      const { stdout, stderr } = await cluster().kubectl(['kustomize', folder]);

      expect(stderr).toBe('');
      expect(stdout).toContain('namespace: elsewhere');
      expect(stdout).not.toContain(`namespace: ${NAMESPACE}`);
      expect(stdout).toMatch(/^kind: Namespace\nmetadata:\n( {2}.*\n)* {2}name: elsewhere$/m);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the installation in README.md', () => {
  it('is an overlay that sets the image', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const overlay = /^```yaml\n(?<yaml>resources:[^]*?)^```$/m.exec(readme)?.groups?.['yaml'] ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
    try {
      const base = relative(await realpath(folder), INSTALL);
      await writeFile(join(folder, 'kustomization.yaml'), overlay.replace('../manifests/install', base));

      const { stdout, stderr } = await cluster().kubectl(['kustomize', folder]);

      expect(stderr).toBe('');
      expect(stdout).toMatch(/^ +image: registry\.example\.com\/dms-operator:0\.1\.0$/m);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('creates namespaces and Secrets with commands that kubectl accepts', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const commands = [...readme.matchAll(/^\$ kubectl (?<words>create [^#\n]*)/gm)];
    expect(commands.length).toBeGreaterThan(2);
    for (const { groups } of commands) {
      const words = groups?.['words']?.trim().split(/\s+/) ?? [];
      const { code, stderr } = await cluster().kubectl([...words, '--dry-run=client']);
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
    }
  });
});

describe('the pod of the controller', () => {
  it('writes to no file of its image', () => {
    expect(template.spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  it('has enough time for the 35 s that running exchanges get', () => {
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40);
  });

  it('runs this version, with arguments the program understands', async () => {
    const [{ image, args }] = template.spec.containers;
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };

    expect(image).toBe(`dms-operator:${version}`);
    expect(parseArguments(args, { program: 'dms-operator', version, columns: 80 })).toMatchObject({
      name: 'run',
    });
  });

  it('is probed and scraped on the ports where the program listens', async () => {
    const [{ ports, livenessProbe, readinessProbe }] = template.spec.containers;
    const listens = readRunConfig({}, {}).metricsAddress;
    expect(ports).toMatchObject([{ name: 'http', containerPort: listens?.port }]);
    expect(livenessProbe.httpGet).toMatchObject({ path: '/healthz', port: 'http' });
    expect(readinessProbe.httpGet).toMatchObject({ path: '/readyz', port: 'http' });

    const { json } = await cluster().request(
      'GET',
      `/api/v1/namespaces/${NAMESPACE}/services/dms-operator-metrics`,
    );
    const { selector, ports: served } = (json as { spec: { selector: object; ports: object[] } }).spec;
    expect(template.metadata.labels).toMatchObject(selector);
    expect(served).toMatchObject([{ port: listens?.port, targetPort: 'http' }]);
  });
});

/** Returns the installed objects as the API server keeps them, without its own metadata. */
async function installed(): Promise<unknown> {
  const { stdout } = await cluster().kubectl(['get', '-k', INSTALL, '-o', 'json']);
  const { items } = JSON.parse(stdout) as {
    items: { kind: string; metadata: { name: string; labels: object }; [member: string]: unknown }[];
  };
  return items.map(({ kind, metadata: { name, labels }, spec, rules, subjects }) => [
    ...[kind, name, labels, spec, rules, subjects],
  ]);
}
