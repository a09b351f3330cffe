import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFiles } from '../../../src/directory/files/file-tree.ts';
import {
  isComplete,
  ManifestFiles,
  type Manifests,
} from '../../../src/directory/manifests/manifest-files.ts';
import { problemText } from '../../../src/api/file-problem.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { connectionYaml, deploymentYaml, secretYaml, together } from '../support/manifests.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const read = (path: string): Promise<Manifests> => new ManifestFiles([path]).read();

/** Returns the problems as shown, without the path of the temporary folder. */
function shown(folder: TemporaryFolder, { problems }: Manifests): string[] {
  return problems.map((problem) => problemText(problem).replaceAll(`${folder.path}/`, ''));
}

describe('manifests of a folder', () => {
  it('are found in every folder below it, in .yaml, .yml and .json', async () => {
    const json = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { a: 'b' },
    });
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('a'),
      'deep/er/b.yml': together(deploymentYaml('b'), connectionYaml('default')),
      'c.json': json,
      'notes.txt': 'kind: Deployment',
    });
    const manifests = await read(folder.path);
    expect([...manifests.declared.keys()]).toEqual([
      'Deployment/team-a/a',
      'ConfigMap/default/c',
      'Deployment/team-a/b',
      'Connection/team-a/default',
    ]);
    expect(manifests.problems).toEqual([]);
  });

  it('are not read from files whose names begin with a dot', async () => {
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('a'),
      '.git/b.yaml': deploymentYaml('b'),
      '.dms-operator/state.json': '{}',
      '.#c.yaml': 'half written',
    });
    const manifests = await read(folder.path);
    expect([...manifests.declared.keys()]).toEqual(['Deployment/team-a/a']);
    expect(manifests.problems).toEqual([]);
  });

  it('are read once through symbolic links, also where those go round in a circle', async () => {
    const folder = temporaryFolder({ 'real/a.yaml': deploymentYaml('a') });
    symlinkSync(folder.at('real'), folder.at('link'));
    symlinkSync('..', folder.at('real/up'));
    symlinkSync('nowhere', folder.at('broken.yaml'));
    const manifests = await read(folder.path);
    expect([...manifests.declared.keys()]).toEqual(['Deployment/team-a/a']);
    expect(shown(folder, manifests)).toEqual([
      'broken.yaml: there is no such file or folder; expected the path of one that exists',
    ]);
  });

  it('are read once even if several links lead to a file, under its own path and in its own order', async () => {
    const folder = temporaryFolder({ 'm/a.yaml': deploymentYaml('a'), 'm/0/b.yaml': deploymentYaml('b') });
    for (const link of ['l.yaml', 'm/0.yaml', 'z.yaml']) symlinkSync(folder.at('m/a.yaml'), folder.at(link));
    const found = async (...paths: readonly string[]) =>
      (await findFiles(paths.map((path) => folder.at(path)))).files.map((file) =>
        relative(folder.path, file),
      );
    expect(await found('.')).toEqual(['m/0/b.yaml', 'm/a.yaml']);
    expect(await found('l.yaml', 'm/a.yaml'), 'as it was given first').toEqual(['l.yaml']);
    expect((await read(folder.path)).problems).toEqual([]);
  });

  it('are read from a pipe that a shell passes as a file', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const words = [process.execPath, 'src/main.ts', 'validate', '-f'];
    for (const command of [`${words.join(' ')} <(cat $0)`, `cat $0 | ${words.join(' ')} /dev/stdin`])
      expect(
        execFileSync('bash', ['-c', command, folder.at('a.yaml')], { cwd: ROOT, encoding: 'utf8' }),
      ).toMatch(/^1 valid document, 0 errors/m);
  });

  it('are not looked for where a link leads out of the folders, nor in what is no regular file', async () => {
    const folder = temporaryFolder({ 'in/a.yaml': deploymentYaml('a'), 'out/b.yaml': deploymentYaml('b') });
    symlinkSync('/', folder.at('in/all'));
    symlinkSync('../out', folder.at('in/folder'));
    symlinkSync('../out/b.yaml', folder.at('in/link.yaml'));
    execFileSync('mkfifo', [folder.at('in/pipe.yaml')]);
    const manifests = await read(folder.at('in'));
    const outside =
      'this link leads out of the folder and is not followed; expected what it leads to beside the folder, with -f';
    expect(shown(folder, manifests)).toEqual([
      `in/all: ${outside}`,
      `in/folder: ${outside}`,
      `in/link.yaml: ${outside}`,
      'in/pipe.yaml: this is no regular file but a pipe, a socket or a device, and is not read; expected a regular file',
    ]);
    const both = await new ManifestFiles([folder.at('in'), folder.at('out')]).read();
    expect(both.declared.has('Deployment/team-a/b')).toBe(true);
    expect(shown(folder, both).filter((line) => line.includes('leads out'))).toEqual([`in/all: ${outside}`]);
  });

  it('may be one file with any name, or standard input', async () => {
    const folder = temporaryFolder({ manifest: deploymentYaml('a') });
    expect((await read(folder.at('manifest'))).declared.size).toBe(1);
    const stdin = new ManifestFiles(['-'], { readStdin: async () => Buffer.from('kind: Deployment\n') });
    expect((await stdin.read()).problems.map(problemText)).toEqual([
      expect.stringMatching(/^-:1:1: apiVersion: .*dms-operator\.dev\/v1alpha1/),
    ]);
  });

  it('get the namespace "default" unless they name one, and cluster connections get none', async () => {
    const withoutNamespace = (text: string): string =>
      text.replace(/^ *namespace: .*\n/m, '').replace(', namespace: team-a', '');
    const folder = temporaryFolder({
      'a.yaml': withoutNamespace(deploymentYaml('a')),
      'c.yaml': withoutNamespace(connectionYaml('c')).replace('kind: Connection', 'kind: ClusterConnection'),
    });
    expect([...(await read(folder.path)).declared.keys()]).toEqual([
      'Deployment/default/a',
      'ClusterConnection//c',
    ]);
  });

  it('keep the metadata that people write', async () => {
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('a').replace(
        '  name: a\n',
        '  name: a\n  uid: made-up\n  finalizers: [x/y]\n  labels: {l: m}\n',
      ),
    });
    const [declared] = (await read(folder.path)).declared.values();
    expect(declared?.object.metadata).toEqual({ name: 'a', namespace: 'team-a', labels: { l: 'm' } });
  });

  it('may be items of a List', async () => {
    const item = (name: string): string => `- ${deploymentYaml(name).trimEnd().replaceAll('\n', '\n  ')}\n`;
    const wrong = item('b').replace('external_container', 'nonsense');
    const list = `apiVersion: v1\nkind: List\nitems:\n${item('a')}${wrong}`;
    const folder = temporaryFolder({ 'list.yaml': list });
    const manifests = await read(folder.path);
    expect([...manifests.declared.keys()]).toEqual(['Deployment/team-a/a']);
    expect(shown(folder, manifests)).toEqual([
      expect.stringMatching(/^list\.yaml:20:5: items\[1\]\.spec\.source: /),
    ]);
  });

  it('of other kinds are counted and ignored', async () => {
    const apps = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n';
    const folder = temporaryFolder({ 'a.yaml': together(apps, deploymentYaml('a'), apps) });
    const manifests = await read(folder.path);
    expect([...manifests.ignored]).toEqual([['apps/v1 Deployment', 2]]);
    expect(manifests.problems).toEqual([]);
    expect(isComplete(manifests)).toBe(true);
  });

  it('are bounded together: what is too much is named, and read once there is room', async () => {
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('a'),
      'b.yaml': deploymentYaml('b'),
      'c.yaml': deploymentYaml('c'),
    });
    const files = new ManifestFiles([folder.path], { mostTokens: 100 });
    const first = await files.read();
    expect([...first.declared.keys()]).toEqual(['Deployment/team-a/a', 'Deployment/team-a/b']);
    expect(shown(folder, first)).toEqual([
      'c.yaml: all files together have too many parts; this one is not read; expected fewer manifests, or several folders by themselves',
    ]);
    expect(isComplete(first)).toBe(false);
    folder.remove('a.yaml');
    const second = await files.read();
    expect([...second.declared.keys()]).toEqual(['Deployment/team-a/b', 'Deployment/team-a/c']);
    expect(second.problems).toEqual([]);
  });

  it('are parsed again only if their content changed', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a'), 'b.yaml': deploymentYaml('b') });
    const files = new ManifestFiles([folder.path]);
    const first = await files.read();
    folder.write('a.yaml', deploymentYaml('a', { image: 'registry.example.com/agent:2' }));
    folder.write('b.yaml', deploymentYaml('b'));
    const second = await files.read();
    const object = (manifests: Manifests, name: string): unknown =>
      manifests.declared.get(`Deployment/team-a/${name}`)?.object;
    expect(object(second, 'a')).not.toEqual(object(first, 'a'));
    expect(object(second, 'b')).toBe(object(first, 'b'));
    expect(second.contentHash).not.toBe(first.contentHash);
    expect((await files.read()).contentHash).toBe(second.contentHash);
  });
});

describe('problems of manifests', () => {
  it.each([
    {
      name: 'a broken document',
      file: `a: [\n---\n${deploymentYaml('a')}`,
      declared: 1,
      problem:
        'x.yaml:2:1: the indentation does not fit, or a [ or { is not closed; expected the indentation of the lines around',
    },
    {
      name: 'a field of the wrong type',
      file: deploymentYaml('a', {
        spec: '  secrets:\n  - name: A\n    value: x\n  - name: 5\n    value: y\n',
      }),
      declared: 0,
      problem: 'x.yaml:13:5: spec.secrets[1].name: ',
    },
    {
      name: 'a value that Kubernetes takes for a boolean, told once',
      file: deploymentYaml('a', { spec: '  secrets:\n  - {name: A, value: on}\n' }),
      declared: 0,
      problem: 'x.yaml:11:15: spec.secrets[0].value: is a boolean; expected a string (put it in quotes)',
    },
    {
      name: 'a missing field',
      file: deploymentYaml('a').replace('  source: external_container\n', ''),
      declared: 0,
      problem: 'x.yaml:6:1: spec.source: is missing',
    },
    {
      name: 'another version of the API',
      file: deploymentYaml('a').replace('v1alpha1', 'v2'),
      declared: 0,
      problem: 'x.yaml:1:1: apiVersion: ',
    },
    {
      name: 'a kind that does not exist',
      file: deploymentYaml('a').replace('Deployment', 'Deploymint'),
      declared: 0,
      problem: 'x.yaml:2:1: kind: ',
    },
    {
      name: 'a generated name',
      file: deploymentYaml('a').replace('name: a', 'generateName: a-'),
      declared: 0,
      problem: 'x.yaml:3:1: metadata.name: is missing; expected a fixed name',
    },
    {
      name: 'no manifest',
      file: 'replicas: 1\n',
      declared: 0,
      problem: 'x.yaml:1:1: warning: this is not a manifest and is ignored; expected apiVersion and kind',
    },
    {
      name: 'bytes that are no text',
      file: Buffer.from([0x61, 0xff, 0xfe]),
      declared: 0,
      problem: 'x.yaml: this is not UTF-8 text; expected the file saved as UTF-8',
    },
    {
      name: 'a Secret whose data is not base64',
      file: secretYaml('s', { a: 'hunter2' }).replace('stringData', 'data'),
      declared: 0,
      problem:
        'x.yaml:4:8: data.a: is not base64; expected the encoded value, or the plain one under stringData',
    },
    {
      name: 'a Secret with a value that is no text',
      file: secretYaml('s', {}).replace('{}', '{pin: 1234}'),
      declared: 0,
      problem: 'x.yaml:4:14: stringData.pin: is not a text; expected the value in quotes',
    },
    {
      name: 'an encrypted Secret',
      file: `${secretYaml('s', { a: 'b' })}sops: {}\n`,
      declared: 0,
      problem: 'x.yaml:5:1: sops: says that the values are encrypted; expected a decrypted file',
    },
  ])('name the place, what is wrong and what is expected: $name', async ({ file, declared, problem }) => {
    const folder = temporaryFolder({ 'x.yaml': file });
    const manifests = await read(folder.path);
    expect(manifests.declared.size).toBe(declared);
    expect(shown(folder, manifests)[0]?.startsWith(problem), shown(folder, manifests).join('\n')).toBe(true);
    expect(shown(folder, manifests).join()).not.toMatch(/hunter2|1234/);
  });

  it('name the place where a resource was declared first', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a'), 'b.yaml': `\n${deploymentYaml('a')}` });
    const manifests = await read(folder.path);
    expect(shown(folder, manifests)).toEqual([
      'b.yaml:5:3: metadata.name: Deployment/team-a/a is declared twice; expected one of the two: it stands at a.yaml:4 already',
    ]);
    expect(isComplete(manifests)).toBe(false);
  });

  it('tell of a file that is too large to be a manifest', async () => {
    const folder = temporaryFolder({ 'big.yaml': '', 'a.yaml': deploymentYaml('a') });
    truncateSync(folder.at('big.yaml'), 50 * 1024 * 1024);
    const manifests = await read(folder.path);
    expect(manifests.declared.size).toBe(1);
    expect(shown(folder, manifests)).toEqual([
      'big.yaml: this file is too large; expected files of at most 8 MiB',
    ]);
  });

  it.each(['-', '/dev/zero'])('tell of %s where it does not end', async (path) => {
    const readStdin = async (maxBytes: number): Promise<Uint8Array> => new Uint8Array(maxBytes + 1);
    const { problems } = await new ManifestFiles([path], { readStdin }).read();
    expect(problems.map(problemText)).toEqual([
      `${path}: this file is too large; expected files of at most 8 MiB`,
    ]);
  });

  it('report the first two hundred of many errors quickly', async () => {
    const data = Array.from({ length: 20_000 }, (_, at) => `  key-${at}: ${at}\n`).join('');
    const folder = temporaryFolder({
      'a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${data}`,
    });
    const { problems } = await read(folder.path);
    expect(problems).toHaveLength(201);
    expect(problems.map(({ message }) => message)).toContain('there are more of these in this file');
  });

  it('report a path that does not exist', async () => {
    const folder = temporaryFolder();
    const manifests = await read(folder.at('nope'));
    expect(shown(folder, manifests)).toEqual([
      'nope: there is no such file or folder; expected the path of one that exists',
    ]);
    expect(isComplete(manifests)).toBe(false);
  });

  it('make an empty folder incomplete, and one with only warnings complete', async () => {
    expect(isComplete(await read(temporaryFolder().path))).toBe(false);
    expect(
      isComplete(await read(temporaryFolder({ 'a.yaml': `x: 1\n---\n${deploymentYaml('a')}` }).path)),
    ).toBe(true);
  });
});
