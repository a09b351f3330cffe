import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaseName } from '../../src/compose/cluster/election-part.ts';
import { readRunConfig } from '../../src/cli/flags/read-config.ts';
import { valuePaths } from '../../scripts/chart/values-page.ts';
import { useHelm } from '../support/programs/helm.ts';
import { EFFECTS } from './support/effects.ts';
import { CHART, type Rendered, templated } from './support/rendered.ts';

const helm = useHelm();
const VALUES = valuePaths(readFileSync(join(CHART, 'values.yaml'), 'utf8'));

/** Returns the part of the schema for a value. Undefined if the schema does not contain it. */
function schemaOf(path: string): unknown {
  let schema: Schema | undefined = JSON.parse(
    readFileSync(join(CHART, 'values.schema.json'), 'utf8'),
  ) as Schema;
  for (const name of path.split('.')) schema = schema?.properties?.[name];
  return schema;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

describe('the chart', () => {
  it('passes the strict lint', async () => {
    const { code, stdout } = await helm.run(['lint', '--strict', CHART]);
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(code).toBe(0);
  });

  it('is packaged under its version', async () => {
    const { stdout } = await helm.run(['show', 'chart', CHART]);
    expect(stdout).toMatch(/^version: \d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^name: dms-operator$/m);
  });

  it('names its objects after the release, so that several can coexist', async () => {
    const one = await templated(helm, {}, 'one');
    const two = await templated(helm, { crds: { install: false } }, 'two');
    const common = [...one.keys()].filter((key) => two.has(key));
    expect(common).toEqual([]);
    const selectors = [one, two].map((rendered) =>
      [...rendered.values()].map(({ spec }) => JSON.stringify(spec)),
    );
    expect(selectors[0]?.join('')).toContain('"app.kubernetes.io/instance":"one"');
    expect(selectors[1]?.join('')).not.toContain('"app.kubernetes.io/instance":"one"');
  });

  it('creates no object in another namespace than that of the release', async () => {
    const rendered = await helm.output(['template', 'dms-operator', CHART, '--namespace', 'elsewhere']);
    expect(rendered).not.toMatch(/namespace: dms-operator$/m);
    expect(rendered).toMatch(/namespace: elsewhere$/m);
  });
});

describe('a value of the chart', () => {
  let rendered: Promise<Rendered> | undefined;
  /** The defaults. */
  const unset = (): Promise<Rendered> => (rendered ??= templated(helm));

  it.each(EFFECTS)('$value has an effect on $object', async ({ set, object, shows }) => {
    const [before, after] = [await unset(), await templated(helm, set)];
    if (shows === undefined) {
      expect([...before.keys()]).toContain(object);
      expect([...after.keys()]).not.toContain(object);
    } else {
      expect(before.get(object) ?? {}).not.toMatchObject(shows);
      expect(after.get(object)).toMatchObject(shows);
    }
  });

  it('is in that table, without exception', () => {
    const seen = new Set(EFFECTS.map(({ value }) => value));
    expect([...seen].toSorted()).toEqual(VALUES.toSorted());
  });

  it.each(VALUES)('%s is in the schema', (path) => {
    expect(schemaOf(path)).toBeDefined();
  });

  it.each<[why: string, values: object, word: string]>([
    ['an unknown word', { replica: 3 }, 'replica'],
    ['an unknown word below another', { image: { repo: 'x' } }, 'repo'],
    ['a text for a number', { replicas: 'two' }, 'replicas'],
    ['a negative number', { replicas: -1 }, 'replicas'],
    ['two replicas without leader election', { leaderElection: { enabled: false }, replicas: 2 }, 'replicas'],
    ['an invalid digest', { image: { digest: 'latest' } }, 'digest'],
    ['an unknown pull policy', { image: { pullPolicy: 'Sometimes' } }, 'pullPolicy'],
    ['an invalid namespace', { watchNamespaces: ['Team_A'] }, 'watchNamespaces'],
    ['a duplicate namespace', { watchNamespaces: ['team-a', 'team-a'] }, 'watchNamespaces'],
    ['one namespace without a list', { watchNamespaces: 'team-a' }, 'watchNamespaces'],
    ['an address for a host', { allowHosts: ['https://example.com/api'] }, 'allowHosts'],
    ['an address for a proxy', { proxyHosts: ['http://proxy.test:3128'] }, 'proxyHosts'],
    ['an unknown log level', { logLevel: 'trace' }, 'logLevel'],
    ['an argument that is not a flag', { extraArgs: ['simulate'] }, 'extraArgs'],
    ['a number for a variable', { extraEnv: [{ name: 'A', value: 1 }] }, 'extraEnv'],
    ['a budget that keeps nothing', { podDisruptionBudget: { minAvailable: 0 } }, 'minAvailable'],
    ['a text for yes or no', { networkPolicy: { enabled: 'no' } }, 'networkPolicy'],
  ])('is refused: %s', async (_why, values, word) => {
    const { code, stderr } = await helm.run([
      ...['template', 'dms-operator', CHART, '--set-json', JSON.stringify(values)],
    ]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("values don't meet the specifications of the schema");
    expect(stderr).toContain(word);
  });
});

describe('the Lease', () => {
  it.each<[values: object, flags: Readonly<Record<string, string | readonly string[]>>]>([
    [{}, {}],
    [{ watchNamespaces: ['team-b', 'team-a'] }, { namespace: ['team-b', 'team-a'] }],
    [{ shardSelector: 'shard in (a,b)' }, { shardSelector: 'shard in (a,b)' }],
    [
      { watchNamespaces: ['team-a'], shardSelector: '!shard' },
      { namespace: ['team-a'], shardSelector: '!shard' },
    ],
  ])('of %j is the one that the controller may write', async (values, flags) => {
    const rendered = await templated(helm, values);
    const role = rendered.get('Role dms-operator/dms-operator-own-namespace');
    expect(role?.['rules']).toContainEqual({
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [leaseName(readRunConfig(flags, {}))],
      verbs: ['patch'],
    });
  });

  it('needs no rights if it is disabled', async () => {
    const rendered = await templated(helm, { leaderElection: { enabled: false }, replicas: 1 });
    expect(JSON.stringify([...rendered.values()])).not.toContain('"leases"');
  });
});

describe('the notes', () => {
  const notes = async (...args: readonly string[]): Promise<string> =>
    await helm.output(['install', 'dms-operator', CHART, '--dry-run=client', '-n', 'home', ...args]);

  it('name the place, and the next step for the image', async () => {
    const text = await notes();
    expect(text).toContain('installed in namespace home.');
    expect(text).toContain('kubectl rollout status -n home deployment.apps/dms-operator');
    expect(text).toContain('No registry is named in image.repository');
  });

  it('omit the image if it has an address, and name the namespaces', async () => {
    const text = await notes(
      ...['--set', 'image.repository=registry.example.com/dms-operator'],
      ...['--set', 'watchNamespaces={team-a,team-b}'],
    );
    expect(text).toContain('works in team-a, team-b.');
    expect(text).not.toContain('No registry is named');
  });
});
