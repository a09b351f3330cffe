import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/compose/operator/version.ts';
import { connectionYaml, deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recording } from '../support/recording.ts';
import { run } from '../support/terminal.ts';

const GOOD = together(deploymentYaml('a'), connectionYaml('default'), secretYaml('s', { a: 'b' }));

describe('validate', () => {
  it('prints what it has seen, and accepts valid manifests', async () => {
    const folder = temporaryFolder({ 'a.yaml': `${GOOD}---\napiVersion: apps/v1\nkind: Deployment\n` });
    expect(await run(['validate', '-f', folder.path])).toEqual({
      out: '3 valid documents, 0 errors, 0 warnings, 1 document of other kinds ignored\n',
      err: '',
      code: 0,
    });
  });

  it('notes references to kinds that no document has, without a warning', async () => {
    const secrets = ['k', 'l'].map(
      (name, n) => `  - {name: S${n}, valueFrom: {secretKeyRef: {name: ${name}, key: k}}}\n`,
    );
    const stdin = deploymentYaml('a', { spec: `  secrets:\n${secrets.join('')}` });
    const note = 'named, but declared by no document here: Connection team-a/default, 2 Secrets';
    const counts = '1 valid document, 0 errors, 0 warnings\n';
    const told = async (format: string) => run(['validate', '-f', '-', '-o', format], { stdin });
    expect(await told('text')).toEqual({ out: `${counts}note: ${note}\n`, err: '', code: 0 });
    expect(await told('github')).toEqual({ out: `${counts}::notice::${note}\n`, err: '', code: 0 });
    expect(JSON.parse((await told('json')).out)).toMatchObject({
      ok: true,
      problems: [],
      undeclared: [{ kind: 'Connection' }, { kind: 'Secret', name: 'k' }, { kind: 'Secret', name: 'l' }],
    });
    const invocations = [{ toolExecutionNotifications: [{ level: 'note', message: { text: note } }] }];
    expect(JSON.parse((await told('sarif')).out)).toMatchObject({ runs: [{ results: [], invocations }] });
  });

  it('prints no note beside an error, because the error may be in the resource named', async () => {
    const broken = connectionYaml('default').replace('https://deploy.example.com', 'not an address');
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a'), 'connection.yaml': broken });
    const { out, code } = await run(['validate', '-f', folder.path]);
    expect(code).toBe(1);
    expect(out).toContain('connection.yaml:');
    expect(out).not.toContain('note:');
  });

  it('reads standard input', async () => {
    expect(await run(['validate', '-f', '-'], { stdin: GOOD })).toMatchObject({ code: 0 });
    const broken = await run(['validate', '-f', '-'], { stdin: 'a: [' });
    expect(broken).toMatchObject({ code: 1, out: expect.stringMatching(/^-:1:5: /) as string });
  });

  it('fails on errors and not on warnings', async () => {
    const folder = temporaryFolder({
      'warned.yaml': deploymentYaml('w')
        .replace('registry.example.com/agent:1', '')
        .replace("{imageURI: ''}", '{repoRef: main}'),
    });
    const warned = await run(['validate', '-f', folder.path]);
    expect(warned.code).toBe(0);
    expect(warned.out).toContain('warning: ');
    folder.write('wrong.yaml', deploymentYaml('x').replace('source: ', 'sorce: '));
    expect((await run(['validate', '-f', folder.path])).code).toBe(1);
  });

  it.each(['text', 'json', 'github', 'sarif'])(
    'prints problems as %s, in the form that was agreed',
    async (format) => {
      const folder = temporaryFolder({
        'a.yaml': together(
          deploymentYaml('a').replace('external_container', 'external_containr'),
          'a: "x\n',
          deploymentYaml('b', { spec: '  replicaz: 1\n' }),
        ),
        'b, 100%.yaml': together(
          secretYaml('s', { a: 'hunter2' }).replace('stringData', 'data'),
          'plain: text\n',
        ),
        'c.yaml': together(GOOD, deploymentYaml('a')),
      });
      const words = ['validate', '-f', folder.path, '-o', format];
      const names = { [`${folder.path}/`]: '', [folder.path]: '.', [VERSION]: '1.2.3' };
      const shown = recording(words, await run(words), names);
      expect(shown).not.toContain('hunter2');
      await expect(shown).toMatchFileSnapshot(`../golden/validate.${format}.txt`);
    },
  );

  it.each([
    {
      name: 'nothing there',
      path: 'none',
      line: 'none: there is no such file or folder; expected the path of one that exists',
    },
    {
      name: 'an empty folder',
      path: 'empty',
      line: 'empty: there are no manifests of dms-operator here; expected at least one',
    },
    {
      name: 'only other kinds',
      path: 'other.yaml',
      line: 'other.yaml: there are no manifests of dms-operator here; expected at least one',
    },
    {
      name: 'an empty file',
      path: 'empty.yaml',
      line: 'empty.yaml: there are no manifests of dms-operator here; expected at least one',
    },
    { name: 'bytes', path: 'bytes', line: 'bytes: this is not UTF-8 text; expected the file saved as UTF-8' },
  ])('fails with one line for $name', async ({ path, line }) => {
    const folder = temporaryFolder({
      'empty/.keep': '',
      'other.yaml': 'apiVersion: apps/v1\nkind: Deployment\n',
      'empty.yaml': '',
      bytes: Buffer.from([0xff]),
    });
    const { out, code } = await run(['validate', '-f', folder.at(path)]);
    expect(code).toBe(1);
    expect(out.split('\n')[0]).toBe(`${folder.path}/${line}`);
  });
});
