import { readdirSync, statSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { deploymentSeed, manyDeployments } from '../../../src/simulator/state/service-seed.ts';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { recording } from '../support/recording.ts';
import { type CommandRun, run } from '../support/terminal.ts';

const SECRET = 'token-hunter2';

const SUPPORT = deploymentSeed('Support Agent', {
  id: uuidFrom('support'),
  source: 'codehost',
  sourceConfig: {
    repo_url: 'https://codehost.example.com/acme/agent',
    build_on_push: true,
    custom_url: 'https://x.example.com',
  },
  revisionConfig: { repo_ref: 'main' },
  secrets: [
    { name: 'API_TOKEN', value: SECRET },
    { name: 'MODEL_KEY', value: SECRET },
  ],
});

/** Creates a folder with the connection to a service of these deployments. */
async function folderWith(
  deployments: Parameters<typeof servedService>[0],
  semantics = {},
): Promise<{
  folder: TemporaryFolder;
  importing: (...words: string[]) => Promise<CommandRun>;
}> {
  const { url } = await servedService(deployments, { semantics });
  const folder = temporaryFolder({ 'connection.yaml': connectionTo(url) });
  const importing = (...words: string[]) => run(['import', '-f', folder.at('connection.yaml'), ...words]);
  return { folder, importing };
}

describe('import', () => {
  it.each([
    ['one-stream', ['--all']],
    ['with-secrets', ['--name', 'Support*', '--with-secrets']],
    ['into-a-folder', ['--all', '--output-dir', 'FOLDER/manifests']],
  ])('looks as it was agreed: %s', async (name, more) => {
    const { folder } = await folderWith([SUPPORT, ...manyDeployments(2, 'agent')]);
    const chosen = more.map((word) => word.replace('FOLDER', folder.path));
    const words = ['import', '-f', folder.at('connection.yaml'), ...chosen];
    const text = recording(words, await run(words), { [folder.path]: '.' });
    expect(text).not.toMatch(/hunter2|token-of/);
    await expect(text).toMatchFileSnapshot(`../golden/import-${name}.txt`);
  });

  it('writes a file for each deployment, formatted as this project formats and readable by every user', async () => {
    const { folder, importing } = await folderWith([SUPPORT, ...manyDeployments(5, 'agent')]);
    await importing('--all', '--with-secrets', '--output-dir', folder.at('manifests'));
    const files = readdirSync(folder.at('manifests'));
    const agents = [0, 1, 2, 3, 4].map((at) => `agent-0000${at}.yaml`);
    expect(files.toSorted()).toEqual([...agents, 'support-agent.yaml']);
    const options = { ...(await resolveConfig('manifest.yaml')), parser: 'yaml' } as const;
    for (const file of files) {
      const text = folder.read(`manifests/${file}`);
      expect(await format(text, options)).toBe(text);
      expect(text).not.toMatch(/hunter2|token-of/);
      expect(statSync(folder.at(`manifests/${file}`)).mode & 0o444).toBe(0o444 & ~process.umask());
    }
  });

  it('replaces files only with --force, and otherwise writes none', async () => {
    const { folder, importing } = await folderWith([{ name: 'a' }, { name: 'b' }]);
    folder.write('manifests/b.yaml', 'mine\n');
    const words = ['--all', '--output-dir', folder.at('manifests')];
    expect(await importing(...words)).toEqual({
      out: '',
      err: `dms-operator: ${folder.at('manifests')}: holds b.yaml already; give another folder, or --force to replace them\n`,
      code: 1,
    });
    expect(readdirSync(folder.at('manifests'))).toEqual(['b.yaml']);
    expect(await importing(...words, '--force')).toMatchObject({ err: '', code: 0 });
    expect(readdirSync(folder.at('manifests'))).toEqual(['a.yaml', 'b.yaml']);
    expect(folder.read('manifests/b.yaml')).toContain('kind: Deployment');
  });

  it('leaves out deployments that are already declared, under any name', async () => {
    const { folder } = await folderWith([{ name: 'a' }, { name: 'b' }, { name: 'mine', id: uuidFrom('c') }]);
    const byID = deploymentYaml('c').replace('{name: c}', `{id: ${uuidFrom('c')}}`);
    folder.write('declared.yaml', together(deploymentYaml('b').replace('name: b', 'name: mine'), byID));
    const importing = (...words: string[]) => run(['import', '-f', folder.path, '--all', ...words]);
    const found = await importing();
    expect(found).toMatchObject({ err: '', code: 0 });
    expect(found.out.match(/^  name: .*$/gm)).toEqual(['  name: a']);
    folder.write('a.yaml', found.out);
    expect(await importing()).toEqual({
      out: '',
      err: 'all of them are declared already (3); --force writes them again\n',
      code: 0,
    });
    // The names are those of the existing resources.
    expect((await importing('--force')).out.match(/^  name: .*$/gm)).toEqual([
      '  name: a',
      '  name: c',
      '  name: mine',
    ]);
  });

  it('reports deployments that it cannot import, and writes the rest', async () => {
    const { importing } = await folderWith([{ name: 'a' }, { name: 'odd', source: 'balloon' }]);
    const found = await importing('--all');
    expect(found.code).toBe(1);
    expect(found.out).toContain('name: a\n');
    expect(found.err).toMatch(/^left out odd \([0-9a-f-]{36}\): spec\.source is "balloon"\n$/);
  });

  it('takes the source from the command line if the service shows none', async () => {
    const { importing } = await folderWith([{ name: 'a' }], { listShape: ['no-source-status'] });
    const unknown = await importing('--all');
    expect(unknown).toMatchObject({ out: '', code: 1 });
    expect(unknown.err).toMatch(
      /^left out a \(.*\): its source is not shown; give it with --assume-source\n$/,
    );
    const { out, code } = await importing('--all', '--assume-source', 'internal_source');
    expect([code, out]).toEqual([0, expect.stringContaining('  source: internal_source\n')]);
  });

  it.each<[readonly string[], number, string]>([
    [[], 64, 'import: say which deployments: --all, --name, --id or another filter'],
    [['--name', 'nobody'], 1, 'no deployment is called nobody, or has that id'],
    [['--id', uuidFrom('nobody')], 1, `no deployment is called ${uuidFrom('nobody')}, or has that id`],
    [
      ['--all', '--output-dir', '/dev/null/x'],
      1,
      '/dev/null/x: cannot be written to: a part of the path is no folder (ENOTDIR); give another folder',
    ],
  ])('%j ends with one line', async (words, code, line) => {
    const { importing } = await folderWith([{ name: 'a' }]);
    expect(await importing(...words)).toEqual({ out: '', err: `dms-operator: ${line}\n`, code });
  });
});
