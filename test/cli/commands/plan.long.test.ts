import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { dispatch } from '../../../src/cli/dispatch.ts';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { openFolder } from '../../directory/support/open.ts';
import { connectionTo, type ServedService, servedService } from '../../support/worlds/served-service.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { recording } from '../support/recording.ts';
import { lastLine } from '../support/applied.ts';
import { type CommandRun, MemoryTerminal, run } from '../support/terminal.ts';

const imageOf = (version: number): string => `registry.example.com/agent:${version}`;
const TOKEN = 'token-of-the-agent';
const ONE_SECRET = `  secrets: [{name: API_TOKEN, valueFrom: {secretKeyRef: {name: agent, key: token}}}]\n`;

/** Creates a folder of manifests with a connection to the service. */
function aFolder({ url }: ServedService, ...documents: readonly string[]): TemporaryFolder {
  return temporaryFolder({ 'all.yaml': together(connectionTo(url), ...documents) });
}

function plan(folder: TemporaryFolder, ...words: readonly string[]): Promise<CommandRun> {
  return run(['plan', '-f', folder.path, ...words]);
}

/** Creates a service with a deployment for each possible result, and manifests that lead to it. */
async function everyFate(): Promise<TemporaryFolder> {
  const revisionConfig = { image_uri: imageOf(1) };
  const secrets = [{ name: 'API_TOKEN', value: TOKEN }];
  const names = ['same', 'edited', 'keyed', 'paused', 'observed', 'approved'];
  const served = await servedService(
    names.map((name) => ({ name, revisionConfig, secrets: name === 'keyed' ? secrets : [] })),
    { semantics: { secretsEcho: 'stars' } },
  );
  const image = imageOf(2);
  return aFolder(
    served,
    secretYaml('agent', { token: TOKEN }),
    deploymentYaml('same', { image: imageOf(1) }),
    deploymentYaml('edited', {
      image,
      spec: '  sourceConfig: {buildOnPush: true, resourceSpec: {cpu: 2}}\n',
    }),
    deploymentYaml('keyed', { image: imageOf(1), spec: ONE_SECRET }),
    deploymentYaml('paused', { image, annotations: '{dms-operator.dev/paused: "true"}' }),
    deploymentYaml('observed', { image, spec: '  managementPolicy: Observe\n' }),
    deploymentYaml('approved', { image, spec: '  approval: Manual\n' }),
    deploymentYaml('new', { image, spec: `  creation: {policy: IfMissing}\n${ONE_SECRET}` }),
    deploymentYaml('missing', { image }),
    deploymentYaml('unmade', {
      spec: `  creation: {policy: IfMissing}\n${ONE_SECRET.replace('name: agent', 'name: absent')}`,
    }),
  );
}

describe('plan', () => {
  it.each(['text', 'json', 'yaml', 'markdown'])(
    'is printed as %s in the form that was agreed',
    async (format) => {
      const folder = await everyFate();
      const result = await plan(folder, '-o', format);
      const words = ['plan', '-f', 'manifests/', '-o', format];
      const names = { [folder.path]: 'manifests' };
      await expect(recording(words, result, names)).toMatchFileSnapshot(`../golden/plan.${format}.txt`);
    },
  );

  it('shows the requests that would be sent, and no value of a secret', async () => {
    const folder = await everyFate();
    const result = await plan(folder, '--detailed');
    const { out } = result;
    const words = ['plan', '-f', 'manifests/', '--detailed'];
    const names = { [folder.path]: 'manifests' };
    await expect(recording(words, result, names)).toMatchFileSnapshot('../golden/plan.detailed.txt');
    expect(out).toContain('"value": "[redacted]"');
    expect(out).not.toContain(TOKEN);
  });

  it('names the resource for the same deployment', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const other = deploymentYaml('other', { image: imageOf(2) }).replace('{name: other}', '{name: agent}');
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(1) }), other);
    const { out, code } = await plan(folder);
    expect(out).toContain(': held: team-a/agent means the same deployment\n');
    expect(code).toBe(1);
    expect((await run(['validate', '-f', folder.path])).out).toContain(
      'warning: spec.deploymentRef: means the same deployment as Deployment/team-a/agent at ',
    );
  });

  it('ends with 0 if there is nothing to do, and with 2 if something would change', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(1) }));
    expect(await plan(folder)).toEqual({ out: 'Plan: 1 unchanged.\n', err: '', code: 0 });
    folder.write(
      'all.yaml',
      together(connectionTo(served.url), deploymentYaml('agent', { image: imageOf(2) })),
    );
    expect((await plan(folder)).code).toBe(2);
  });

  it('writes nothing, neither to the service nor beside the manifests', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(2) }));
    await plan(folder, '--detailed');
    expect(readdirSync(folder.path)).toEqual(['all.yaml']);
    expect(new Set(served.service.log.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('counts partly held resources in its last line, and warns about a secret file that ends in a newline', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const spec = `  secrets:
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: creds, key: token}}}
  - {name: OTHER, valueFrom: {secretKeyRef: {name: absent, key: token}}}
`;
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(2), spec }));
    const secrets = temporaryFolder({ 'creds/token': 'the-token\n' });
    const { out, err, code } = await plan(folder, '--secrets-dir', secrets.path);
    expect(lastLine(out)).toBe('Plan: 1 to update; 1 held in part.');
    expect(err).toBe(
      `${secrets.at('creds/token')}: warning: this value ends in a line end, which is sent as part of it; expected a value without it, unless it is meant\n`,
    );
    expect(code).toBe(1);
  });

  it('reports that the second of two resources for one deployment is held', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const twin = deploymentYaml('twin', { image: imageOf(2) }).replace('{name: twin}', '{name: agent}');
    const { out, code } = await plan(aFolder(served, deploymentYaml('agent', { image: imageOf(2) }), twin));
    expect(out).toContain('~ team-a/agent');
    expect(out).toContain('! team-a/twin');
    expect(code).toBe(1);
  });

  it('has colours on a terminal, and none if NO_COLOR is set', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(2) }));
    const words = ['plan', '-f', folder.path];
    expect((await run(words, { columns: 100 })).out).toContain('\u001b[');
    expect((await run(words, { columns: 100, environment: { NO_COLOR: '1' } })).out).not.toContain('\u001b[');
    expect((await run(words)).out).not.toContain('\u001b[');
  });
});

describe('plan after an apply', () => {
  /** Makes the controller settle a folder, as it would have before the planned change. */
  async function settle(folder: TemporaryFolder, { service }: ServedService): Promise<void> {
    const terminal = new MemoryTerminal();
    const words = ['run', '--dir', folder.path, '--metrics-address', '0', '--log-level', 'error'];
    const ended = dispatch(words, 'dms-operator', terminal);
    const state = (): string => folder.read('.dms-operator/state.json');
    await vi.waitFor(() => expect(state()).toMatch(/"reason": "InSync"/), { timeout: 8_000 });
    terminal.stop('SIGTERM');
    expect(await ended).toBe(0);
    expect(service.log.requests('patch').length).toBeGreaterThan(0);
  }

  it('compares masked secrets: unchanged ones, and a rotated one', async () => {
    const secrets = [{ name: 'API_TOKEN', value: TOKEN }];
    const served = await servedService([{ name: 'agent', secrets }], {
      semantics: { secretsEcho: 'stars', rollout: { kind: 'after', seconds: 0 } },
    });
    const poll = '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n  requestTimeoutSeconds: 1\n';
    const manifests = (token: string): string =>
      together(
        connectionTo(served.url, { spec: poll }),
        deploymentYaml('agent', { spec: ONE_SECRET }),
        secretYaml('agent', { token }),
      );
    const folder = temporaryFolder({ 'all.yaml': manifests(TOKEN) });
    const before = await plan(folder);
    expect(before.out).toContain('nothing proves that API_TOKEN differ');
    expect(before.code).toBe(1);
    const sent = await plan(folder, '--send-secrets');
    expect(sent.out).toMatch(/secrets +\(not known\) +changed: API_TOKEN +possible/);
    expect(sent.code).toBe(2);
    await settle(folder, served);
    expect(await plan(folder)).toEqual({ out: 'Plan: 1 unchanged.\n', err: '', code: 0 });
    folder.write('all.yaml', manifests('rotated-token-of-the-agent'));
    const rotated = await plan(folder);
    expect(rotated.out).toMatch(/secrets +as applied +changed: API_TOKEN +possible/);
    expect(rotated.code).toBe(2);
    const elsewhere = await plan(folder, '--state', folder.at('no-state.json'));
    expect(elsewhere.out).toContain('nothing proves that API_TOKEN differ');
  }, 20_000);
});

describe('plan of a fleet', () => {
  it('distinguishes drift from edits, in every format', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const spec = '  sourceConfig: {buildOnPush: true}\n';
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(1), spec }));
    expect((await run(['apply', '-f', folder.path])).code).toBe(0);
    served.service.act({
      ...{ kind: 'edit', deployment: 'agent', path: 'source_config.build_on_push', value: false },
    });
    folder.write(
      'all.yaml',
      together(connectionTo(served.url), deploymentYaml('agent', { image: imageOf(2), spec })),
    );
    await vi.waitFor(async () => {
      const { out } = await plan(folder);
      expect(out).toContain(
        '    drift: changed at the service since it was applied: sourceConfig.buildOnPush\n',
      );
    }, 10_000);
    const { resources } = JSON.parse((await plan(folder, '-o', 'json')).out) as {
      resources: { changes: { path: string; drift: boolean }[] }[];
    };
    expect(resources[0]?.changes.map(({ path, drift }) => [path, drift]).toSorted()).toEqual([
      ['sourceConfig.buildOnPush', true],
      ['sourceRevisionConfig.imageURI', false],
    ]);
    expect((await plan(folder, '-o', 'markdown')).out).toContain(
      'Drift: <code>sourceConfig.buildOnPush</code> was changed at the service since it was applied.',
    );
  }, 20_000);

  it('is summed up by --group', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `agent-${n}`);
    const revisionConfig = (name: string) => ({ image_uri: `registry.example.com/${name}:1.4` });
    const served = await servedService(names.map((name) => ({ name, revisionConfig: revisionConfig(name) })));
    const documents = names.map((name, n) =>
      deploymentYaml(name, { image: `registry.example.com/${name}:${n === 0 ? '2.0' : '1.5'}` }),
    );
    const folder = aFolder(served, ...documents, deploymentYaml('absent'));
    const words = ['plan', '-f', folder.path, '--group'];
    const result = await run(words, { columns: 100 });
    await expect(
      recording(['plan', '-f', 'manifests/', '--group'], result, { [folder.path]: 'manifests' }),
    ).toMatchFileSnapshot('../golden/plan.group.txt');
    const { groups } = JSON.parse((await run([...words, '-o', 'json'])).out) as { groups: object[] };
    expect(groups[0]).toMatchObject({
      count: 11,
      path: 'sourceRevisionConfig.imageURI',
      from: '1.4',
      to: '1.5',
    });
    expect(await run([...words, '--detailed'])).toMatchObject({
      code: 64,
      err: expect.stringContaining('--group: does not go together with --detailed') as string,
    });
  });
});

describe('plan --prune', () => {
  it('shows what it would delete because its manifest is missing', async () => {
    const served = await servedService([{ name: 'kept' }, { name: 'gone' }]);
    const policy = '  deletionPolicy: Delete\n';
    const folder = temporaryFolder({
      'kept.yaml': together(connectionTo(served.url), deploymentYaml('kept', { image: imageOf(1) })),
      'gone.yaml': deploymentYaml('gone', { spec: policy }),
    });
    const { store, stop } = await openFolder(folder.path);
    const key = { kind: 'Deployment', namespace: 'team-a', name: 'gone' };
    const claimed = await store.claim((await store.get(key)) ?? expect.fail('it is declared'));
    const { id } = served.service.deployment('gone') ?? expect.fail('it is there');
    await store.saveStatus(claimed, { deploymentID: id }, { mustLand: true });
    await stop();
    folder.remove('gone.yaml');
    expect((await plan(folder)).out).not.toContain('gone');
    const { out } = await plan(folder, '--prune');
    expect(out).toContain(`- team-a/gone (${id}): delete`);
    expect(out).toContain('1 to delete');
  });
});

describe('a plan that cannot be made', () => {
  it('reports in one line that the service is not reachable, whatever the number of resources', async () => {
    const documents = ['a', 'b', 'c'].map((name) => deploymentYaml(name));
    const folder = aFolder({ url: 'http://127.0.0.1:1' } as ServedService, ...documents);
    const { out, err, code } = await plan(folder);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(
      /^dms-operator: Connection team-a\/default \(http:\/\/127\.0\.0\.1:1\) cannot be used: Unreachable: .*\n$/,
    );
  });

  it('covers one connection if another one is not usable', async () => {
    const served = await servedService([{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }]);
    const others = ['a', 'b'].map((name) => deploymentYaml(name, { namespace: 'team-b' }));
    const folder = aFolder(served, deploymentYaml('agent', { image: imageOf(2) }), ...others);
    const { out, code } = await plan(folder);
    expect(out).toContain('~ team-a/agent');
    expect(out).toContain(
      '! 2 resources: not known: there is no Connection default and there is no ClusterConnection',
    );
    expect(code).toBe(1);
  });

  it('sends no request while a manifest has an error', async () => {
    const served = await servedService([{ name: 'agent' }]);
    const folder = aFolder(served, deploymentYaml('agent').replace('source: ', 'sorce: '));
    const { out, err, code } = await plan(folder);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/all\.yaml:\d+:\d+: spec/);
    expect(served.service.log.requests()).toEqual([]);
  });

  it('requires a declared Deployment', async () => {
    const { err, code } = await run(['plan', '-f', '-'], { stdin: connectionTo('http://127.0.0.1:1') });
    expect({ err, code }).toEqual({
      err: 'dms-operator: -: no Deployment of dms-operator is declared here; name one\n',
      code: 1,
    });
  });

  it('ends with 130 at Ctrl-C, even while a service hangs', async () => {
    const served = await servedService([{ name: 'agent' }], {
      faults: [{ match: { operation: 'list' }, fault: { kind: 'hang' } }],
    });
    const terminal = new MemoryTerminal();
    const folder = aFolder(served, deploymentYaml('agent'));
    const ended = dispatch(['plan', '-f', folder.path], 'dms-operator', terminal);
    await vi.waitFor(() => expect(served.service.log.requests('list')).toHaveLength(1));
    terminal.stop('SIGINT');
    expect(await ended).toBe(130);
    expect(terminal.outText).toBe('');
  });

  it('refuses a flag that has no effect beside --against', async () => {
    const { err, code } = await run(['plan', '-f', 'a', '--against', 'b', '--state', 'c']);
    expect(err).toBe(
      'dms-operator: --against asks no service and no cluster, so that --state has no effect; leave it out\n',
    );
    expect(code).toBe(64);
  });
});

describe('plan for a pull request', () => {
  it('stays readable with 200 resources: one row for each, and within the length of a comment', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `agent-${String(index).padStart(3, '0')}`);
    const served = await servedService(
      names.map((name) => ({ name, revisionConfig: { image_uri: imageOf(1) } })),
    );
    const spec = '  sourceConfig: {resourceSpec: {cpu: 2, memoryMB: 1024, labels: {a: b}}}\n';
    const folder = aFolder(served, ...names.map((name) => deploymentYaml(name, { image: imageOf(2), spec })));
    const { out, code } = await plan(folder, '-o', 'markdown');
    expect(code).toBe(2);
    expect(out.length).toBeLessThanOrEqual(60_000);
    const rows = out.split('\n').filter((line) => line.startsWith('| <code>team-a/'));
    expect(rows).toHaveLength(200);
    expect(out.indexOf('<details>')).toBeGreaterThan(out.indexOf(rows.at(-1) ?? ''));
    expect(out).toMatch(/^### dms-operator plan: 200 to update\n/);
    expect(out).toMatch(/Details of \d+ resources are left out; run the plan to see them\./);
    expect(out.match(/<details>/g)?.length).toBe(out.match(/<\/details>/g)?.length);
  }, 20_000);

  it('treats no part of a value as markup, a mention or a link', async () => {
    const served = await servedService([
      { name: 'agent', revisionConfig: { image_uri: '</code>|@everyone [a](b) `x` <img src=x>' } },
    ]);
    const { out } = await plan(aFolder(served, deploymentYaml('agent')), '-o', 'markdown');
    const values = out.split('\n').find((line) => line.startsWith('| <code>sourceRevisionConfig.imageURI'));
    expect(values).toContain('&#64;everyone');
    expect(values).not.toMatch(/@|<img|\[a\]|`/);
    expect(values?.match(/\|/g)).toHaveLength(5);
  });
});
