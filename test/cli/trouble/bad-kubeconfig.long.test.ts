import { describe, expect, it } from 'vitest';
import { type Bad, BOMB, commandsWith, GOOD, LARGE, runOn, SECRET } from '../support/bad-input.ts';

/** Returns a kubeconfig of a cluster that does not exist. */
function kubeConfig(more: { server?: string; current?: string } = {}): string {
  return `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: '${more.server ?? 'https://127.0.0.1:1'}'}}]
users: [{name: test, user: {token: ${SECRET}}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: ${more.current ?? 'test'}
`;
}

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

/** Commands that read a kubeconfig, with their other words. */
const IN_CLUSTER: readonly (readonly string[])[] = [
  ['run', '--metrics-address', '0', '--log-level', 'error'],
  ['plan', '-f', '$/a.yaml'],
  ['import', '--all'],
  ['get', 'deployments'],
  ['describe', 'a'],
  ['status'],
  ['console', '--no-open'],
  ...['approve', 'pause', 'resume', 'reconcile', 'redeploy'].map((verb) => [verb, 'a']),
];

it('every command that takes a kubeconfig is tested with bad ones', () => {
  expect(new Set(IN_CLUSTER.map(([command]) => command))).toEqual(new Set(commandsWith('--kubeconfig')));
});

describe.each(IN_CLUSTER)('a kubeconfig that %s cannot use', (...words) => {
  it.each(KUBECONFIGS)('is reported in one line, without its content: $name', async ({ files, says }) => {
    const { err, text, code } = await runOn({ ...files, 'a.yaml': GOOD }, [
      ...words,
      '--kubeconfig',
      '$/file',
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: kubeconfig: [^\n]+\n$/);
    expect(text.replace('dms-operator: kubeconfig: ', '').trimEnd()).toMatch(says);
  });

  it.skipIf(words[0] === 'run')('is reported with address and context if no server answers', async () => {
    const { err, text, code } = await runOn({ file: kubeConfig(), 'a.yaml': GOOD }, [
      ...words,
      '--kubeconfig',
      '$/file',
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^[^\n]+\n$/);
    expect(text).toMatch(
      /^dms-operator: the API server https:\/\/127\.0\.0\.1:1 \(context test\) cannot be reached: connect ECONNREFUSED [^;]*; check --context, or the network$/m,
    );
  });

  it('is reported in one line if the requested context does not exist', async () => {
    const asked = [...words, '--kubeconfig', '$/file', '--context', 'prod'];
    const { text, code } = await runOn({ file: kubeConfig(), 'a.yaml': GOOD }, asked);
    expect({ text, code }).toEqual({
      text: 'dms-operator: kubeconfig: context "prod" does not exist; known: test\n',
      code: 1,
    });
  });
});
