import { describe, expect, it } from 'vitest';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { deploymentSeed, manyDeployments } from '../../../src/simulator/state/service-seed.ts';
import { secretYaml, together } from '../../directory/support/manifests.ts';
import { INTEGRATION, PROVIDER, REPOSITORY } from '../support/inventory.ts';
import { recording } from '../support/recording.ts';
import { run } from '../support/terminal.ts';

/** Creates a service with deployments of every kind, and returns the words and masks for commands that read it. */
async function aService(): Promise<{ from: readonly string[]; folder: string; url: string }> {
  const { url } = await servedService(
    [
      ...manyDeployments(5, 'agent'),
      deploymentSeed('idle agent', {
        id: uuidFrom('idle'),
        status: 'UNUSED',
        imageVersion: '1.2.0',
        hidden: { deployment_type: 'prod' },
        sourceConfig: { build_command: 'API_KEY=hunter2 make' },
        secrets: [{ name: 'API_TOKEN', value: 'token-of-idle' }],
      }),
    ],
    { integrations: [{ id: INTEGRATION, repositories: [REPOSITORY] }], providers: [PROVIDER] },
  );
  const folder = temporaryFolder({ 'connection.yaml': connectionTo(url) });
  const from = ['-f', folder.at('connection.yaml')];
  return { from, folder: folder.path, url };
}

describe('get', () => {
  it('prints one line for each name, and nothing that a terminal would act on', async () => {
    const { url } = await servedService([{ name: 'two\nlines' }, { name: 'a \u001b]0;title\u0007 name' }]);
    const folder = temporaryFolder({ 'connection.yaml': connectionTo(url) });
    const { out } = await run(['get', 'deployments', '-o', 'name', '-f', folder.path]);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    for (const sign of ['\u001b', '\u0007']) expect(out).not.toContain(sign);
  });

  it.each([
    ['deployments', 'text', []],
    ['deployments', 'wide', ['--name', 'agent-00000']],
    ['deployments', 'json', ['--id', uuidFrom('idle')]],
    ['deployments', 'yaml', ['--name', 'agent-00001']],
    ['deployments', 'name', ['--status', 'READY', '--source', 'codehost']],
    ['repositories', 'text', ['--integration', INTEGRATION]],
    ['repositories', 'wide', ['--integration', INTEGRATION]],
    ['providers', 'text', []],
    ['providers', 'wide', []],
    ['providers', 'name', []],
    ['providers', 'json', []],
  ])('%s as %s looks as it was agreed', async (what, format, more) => {
    const { from, folder } = await aService();
    const words = ['get', what, ...from, '-o', format, ...more];
    const text = recording(words, await run(words, { columns: 100 }), { [folder]: '.' });
    expect(text).not.toMatch(/hunter2|token-of/);
    await expect(text).toMatchFileSnapshot(`../golden/get-${what}-${format}.txt`);
  });

  it('passes a filter parameter to the service, and reports if the parameter made no difference', async () => {
    const { from } = await aService();
    const asked = ['get', 'deployments', ...from, '-o', 'name', '--parameter'];
    expect(await run([...asked, 'deployment_type=prod'])).toEqual({ out: 'idle agent\n', err: '', code: 0 });
    const unheeded = await run([...asked, 'no_such_parameter=1']);
    expect(unheeded.out.split('\n')).toHaveLength(7);
    expect(unheeded.err).toBe(
      'note: no_such_parameter=1 left all 6 deployments in the list: the service may not know that parameter\n',
    );
    expect(await run([...asked, 'offset=3'])).toMatchObject({
      code: 1,
      err: 'dms-operator: --parameter offset: the operator sets this parameter to ask for pages; leave it out\n',
    });
  });

  it('reports what it left out because the service does not show it', async () => {
    const { url } = await servedService([{ name: 'a' }], { semantics: { listShape: ['no-source-status'] } });
    const given = { stdin: connectionTo(url) };
    expect(await run(['get', 'deployments', '-f', '-', '--status', 'READY', '-o', 'name'], given)).toEqual({
      out: '',
      err: 'note: left out 1 whose status the service does not show\n',
      code: 0,
    });
  });

  it('reports an empty result, and a name that no deployment has', async () => {
    const { from } = await aService();
    expect(await run(['get', 'deployments', ...from, '--name', 'nobody'])).toEqual({
      out: '',
      err: 'note: no deployment is called nobody, or has that id\nthere are no such deployments\n',
      code: 0,
    });
    const chosen = ['--parameter', 'deployment_type=prod', '--name', 'nobody'];
    expect((await run(['get', 'deployments', ...from, ...chosen])).err).toContain(
      'none of those that the service chose is called nobody',
    );
    expect(await run(['get', 'deployments', ...from, '--name', 'nobody', '-o', 'json'])).toMatchObject({
      out: '{\n  "formatVersion": 1,\n  "items": []\n}\n',
      code: 0,
    });
  });

  it.each<[readonly string[], number, RegExp]>([
    [['repositories'], 64, /get repositories: give --integration ID/],
    [['providers', '--name', 'x'], 64, /filters such as --name are for deployments/],
    [['deployments', '--integration', INTEGRATION], 64, /--integration is for repositories/],
    [['boats'], 64, /'boats' is invalid for argument 'what'.*deployments, repositories, providers/],
    [['deployments', '--parameter', 'x'], 64, /Expected NAME=VALUE/],
    [
      ['deployments', '--connection', 'other'],
      1,
      /there is no connection other; there is Connection team-a\/default$/,
    ],
    [['deployments', '-n', 'team-b'], 1, /there is no Connection; give its manifest with -f/],
  ])('%j ends with one line', async (words, code, line) => {
    const { url } = await aService();
    const found = await run(['get', ...words, '-f', '-'], { stdin: connectionTo(url) });
    expect(found).toMatchObject({ out: '', code });
    expect(found.err.trimEnd()).toMatch(line);
    expect(found.err.match(/\n/g)).toHaveLength(1);
  });

  it.each([
    ['is refused', 'key', /Connection team-a\/default \(\S+\) cannot be used: AuthFailed: [^;]*$/],
    [
      'lacks its Secret',
      'absent',
      /Connection team-a\/default \(\S+\) cannot be used: SecretMissing: .*absent/,
    ],
  ])('reports in one line that a connection %s', async (_, secret, line) => {
    const auth = { kind: 'header', name: 'x-api-key', value: 'right' } as const;
    const { url } = await servedService([], { semantics: { auth } });
    const spec = `  headers: [{name: X-Api-Key, valueFrom: {secretKeyRef: {name: ${secret}, key: key}}}]\n`;
    const stdin = together(connectionTo(url, { spec }), secretYaml('key', { key: 'wrong-hunter2' }));
    const found = await run(['get', 'deployments', '-f', '-'], { stdin });
    expect(found).toMatchObject({ out: '', code: 1 });
    expect(found.err.trimEnd()).toMatch(line);
    expect(found.err).not.toContain('hunter2');
    expect(found.err.match(/\n/g)).toHaveLength(1);
  });
});
