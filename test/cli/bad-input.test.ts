import { chmodSync, readdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deploymentYaml } from '../directory/support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './support/terminal.ts';

const SECRET = 'hunter2';
const GOOD = deploymentYaml('a');
const LARGE = Buffer.alloc(50 * 1024 * 1024, '#');
const BOMB = Array.from({ length: 9 }, (_, n) =>
  n === 0
    ? `a0: &a0 [${SECRET}]`
    : `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
).join('\n');

/** A kubeconfig of a cluster that is not there. */
function kubeConfig(more: { server?: string; current?: string } = {}): string {
  return `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: '${more.server ?? 'https://127.0.0.1:1'}'}}]
users: [{name: test, user: {token: ${SECRET}}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: ${more.current ?? 'test'}
`;
}

interface Bad {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Absent: `file` in the folder. */
  readonly path?: string;
  /** The line that is told, after the path. */
  readonly says: RegExp;
}

function listing(path: string): ReadonlySet<string> {
  return new Set(readdirSync(path, { recursive: true, encoding: 'utf8' }));
}

/** Runs a command on files; `$` in its words is their folder. What was there must be there afterwards, and no more. */
async function runOn(files: Bad['files'], words: readonly string[], prepare?: (path: string) => void) {
  const folder = temporaryFolder(files);
  prepare?.(folder.path);
  const before = listing(folder.path);
  const { out, err, code } = await run(words.map((word) => word.replace('$', folder.path)));
  expect(listing(folder.path)).toEqual(before);
  const text = out + err;
  expect(text).not.toContain(SECRET);
  expect(text).not.toMatch(/\n?\s+at \S+ ?\(?\S*:\d+:\d+/);
  return { out, err, code, text: text.replaceAll(`${folder.path}/`, '') };
}

const MANIFESTS: readonly Bad[] = [
  {
    name: 'nothing there',
    files: {},
    path: '$/none',
    says: /^none: there is no such file or folder; expected /,
  },
  {
    name: 'a folder without a file',
    files: { 'empty/.keep': '' },
    path: '$/empty',
    says: /^empty: there are no manifests/,
  },
  {
    name: 'a path below a file',
    files: { file: GOOD },
    path: '$/file/a.yaml',
    says: /^file\/a\.yaml: this cannot be read/,
  },
  {
    name: '50 MB',
    files: { file: LARGE },
    says: /^file: this file is too large; expected files of at most 8 MiB$/,
  },
  {
    name: 'a YAML bomb',
    files: { file: `${GOOD}${BOMB}\n` },
    says: /^file:1:1: the aliases of this document expand too far; expected /,
  },
  {
    name: 'a key twice',
    files: { file: `${GOOD}kind: ${SECRET}\n` },
    says: /^file:\d+:1: this key stands twice in one map; expected each key once$/,
  },
  {
    name: 'a tab',
    files: { file: `${GOOD}status:\n\ta: ${SECRET}\n` },
    says: /^file:\d+:1: a tab is used as indentation; expected spaces$/,
  },
  {
    name: 'an unclosed quote',
    files: { file: `${GOOD}  approval: "${SECRET}\n` },
    says: /^file:\d+:\d+: a quote, a bracket or a colon is missing; expected /,
  },
  {
    name: 'another encoding',
    files: { file: Buffer.from(`\uFEFF${GOOD}`, 'utf16le') },
    says: /^file: this is not UTF-8 text; expected the file saved as UTF-8$/,
  },
  {
    name: 'a binary file',
    files: { file: Buffer.from([0, 1, 2, 0xff]) },
    says: /^file: this is not UTF-8 text/,
  },
];

describe('manifests that cannot be used', () => {
  it.each(MANIFESTS)('are told in one line by validate: $name', async ({ files, path = '$/file', says }) => {
    const { text, code } = await runOn(files, ['validate', '-f', path]);
    expect(code).toBe(1);
    const [line = '', summary = '', ...more] = text.trimEnd().split('\n');
    expect(line).toMatch(says);
    expect(summary).toMatch(/^0 valid documents, 1 error, 0 warnings/);
    expect(more).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)('are told in one line where they may not be read', async () => {
    const { text, code } = await runOn({ 'shut/a.yaml': GOOD }, ['validate', '-f', '$/shut'], (path) =>
      chmodSync(`${path}/shut`, 0o311),
    );
    expect({ text, code }).toMatchObject({
      text: expect.stringMatching(/^shut: this cannot be read/) as string,
      code: 1,
    });
  });

  it('are told in one line where links go round in a circle', async () => {
    const { text, code } = await runOn({}, ['validate', '-f', '$/loop'], (path) =>
      symlinkSync('loop', `${path}/loop`),
    );
    expect(code).toBe(1);
    expect(text).toMatch(/^loop: the symbolic links go round in a circle; expected /);
  });

  it.each([
    { name: 'Windows line ends', text: GOOD.replaceAll('\n', '\r\n') },
    { name: 'a byte order mark', text: `\uFEFF${GOOD}` },
    { name: 'both', text: `\uFEFF${GOOD.replaceAll('\n', '\r\n')}` },
  ])('do not include those with $name', async ({ text }) => {
    const { out, code } = await runOn({ file: text }, ['validate', '-f', '$/file']);
    expect({ out, code }).toEqual({ out: '1 valid document, 0 errors, 0 warnings\n', code: 0 });
  });

  it.each([
    {
      name: 'a folder that is not there',
      words: ['--dir', '$/none'],
      says: /^none: there is no such folder; name one that exists$/,
    },
    {
      name: 'secrets that are not there',
      words: ['--dir', '$', '--secrets-dir', '$/none'],
      says: /^none: there is no such folder of secret files; make it/,
    },
    {
      name: 'a state that is damaged',
      words: ['--dir', '$', '--state', '$/state.json'],
      says: /^state\.json: /,
    },
  ])('end a controller of a folder before it begins: $name', async ({ words, says }) => {
    const files = { 'a.yaml': GOOD, 'state.json': `{"${SECRET}` };
    const { err, text, code } = await runOn(files, [
      'run',
      '--metrics-address',
      '0',
      '--log-level',
      'error',
      ...words,
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: [^\n]+\n$/);
    expect(text.replace('dms-operator: ', '').trimEnd()).toMatch(says);
  });
});

const KUBECONFIGS: readonly Bad[] = [
  {
    name: 'nothing there',
    files: {},
    says: /^there is no such file: file; name another with --kubeconfig or KUBECONFIG$/,
  },
  { name: 'a folder', files: { 'file/.keep': '' }, says: /^this is a folder: file; name another/ },
  {
    name: '50 MB',
    files: { file: LARGE },
    says: /^the file is too large, more than 8 MiB: file; name another/,
  },
  { name: 'an empty file', files: { file: '' }, says: /input is empty$/ },
  {
    name: 'a tab',
    files: { file: `clusters:\n\t- name: ${SECRET}\n` },
    says: /^file:2:1: this is not well-formed YAML; look for tabs/,
  },
  {
    name: 'a key twice',
    files: { file: `${kubeConfig()}users: ${SECRET}\n` },
    says: /^file:7:1: this is not well-formed YAML; .*keys that stand twice$/,
  },
  {
    name: 'an unclosed quote',
    files: { file: `users: "${SECRET}\n` },
    says: /^file:2:1: this is not well-formed YAML; look for tabs, quotes/,
  },
  {
    name: 'a binary file',
    files: { file: Buffer.from([0, 1, 2, 0xff]) },
    says: /^file:1:1: this is not well-formed YAML/,
  },
  {
    name: 'no current context',
    files: { file: kubeConfig({ current: "''" }) },
    says: /^no current context; give --context$/,
  },
  {
    name: 'a context that is not there',
    files: { file: kubeConfig({ current: 'other' }) },
    says: /^context "other" does not exist; known: test$/,
  },
  {
    name: 'an address that is none',
    files: { file: kubeConfig({ server: `not a ${SECRET}` }) },
    says: /^the server of cluster "test" is no address; give one such as /,
  },
  {
    name: 'Windows line ends and another context',
    files: { file: kubeConfig({ current: 'other' }).replaceAll('\n', '\r\n') },
    says: /does not exist; known: test$/,
  },
  {
    name: 'a byte order mark and another context',
    files: { file: `\uFEFF${kubeConfig({ current: 'other' })}` },
    says: /does not exist; known: test$/,
  },
  {
    name: 'a YAML bomb and another context',
    files: { file: `${BOMB}\n${kubeConfig({ current: 'other' })}` },
    says: /does not exist; known: test$/,
  },
];

/** Commands that read a kubeconfig, with what else they need. */
const IN_CLUSTER: readonly (readonly string[])[] = [
  ['run', '--metrics-address', '0', '--log-level', 'error'],
];

describe.each(IN_CLUSTER)('a kubeconfig that %s cannot use', (...words) => {
  it.each(KUBECONFIGS)('is told in one line, without what stands in it: $name', async ({ files, says }) => {
    const { err, text, code } = await runOn(files, [...words, '--kubeconfig', '$/file']);
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: kubeconfig: [^\n]+\n$/);
    expect(text.replace('dms-operator: kubeconfig: ', '').trimEnd()).toMatch(says);
  });

  it('is told in one line where the context that was asked for is not there', async () => {
    const asked = [...words, '--kubeconfig', '$/file', '--context', 'prod'];
    const { text, code } = await runOn({ file: kubeConfig() }, asked);
    expect({ text, code }).toEqual({
      text: 'dms-operator: kubeconfig: context "prod" does not exist; known: test\n',
      code: 1,
    });
  });
});
