import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { dispatch } from '../../src/cli/dispatch.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { MemoryTerminal, run } from './support/terminal.ts';

/** Starts a command that serves until it is stopped. Resolves when it has printed its address. */
async function serving(
  words: readonly string[],
): Promise<{ terminal: MemoryTerminal; url: string; ended: Promise<number> }> {
  const terminal = new MemoryTerminal();
  const ended = dispatch(words, 'dms-operator', terminal);
  onTestFinished(async () => {
    terminal.stop('SIGTERM');
    await ended;
  });
  const url = await expect
    .poll(() => /http:\S+/.exec(terminal.outText)?.[0])
    .toBeDefined()
    .then(() => /http:\S+/.exec(terminal.outText)?.[0]);
  return { terminal, url: url ?? '', ended };
}

describe('crds', () => {
  it('prints the three definitions as one YAML stream', async () => {
    const { out, err, code } = await run(['crds']);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const documents = parseAllDocuments(out).map(
      (document) => document.toJS() as { kind: string; metadata: { name: string } },
    );
    expect(documents.map(({ kind }) => kind)).toEqual(Array(3).fill('CustomResourceDefinition'));
    expect(documents.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'clusterconnections.dms-operator.dev',
      'connections.dms-operator.dev',
      'deployments.dms-operator.dev',
    ]);
  });
});

describe('simulate', () => {
  const seed =
    'deployments:\n- {name: agent, source: external_container, source_revision_config: {image_uri: "r/a:1"}}\n';

  it('serves the content of the seed until it is stopped', async () => {
    const folder = temporaryFolder({ 'seed.yaml': seed });
    const { terminal, url, ended } = await serving([
      'simulate',
      '--port',
      '0',
      '--seed',
      folder.at('seed.yaml'),
    ]);
    const answer = await fetch(`${url}/v2/deployments`);
    expect(await answer.json()).toMatchObject({ resources: [{ name: 'agent' }] });
    expect(terminal.outText).toContain('with 1 deployment\n');
    terminal.stop('SIGTERM');
    expect(await ended).toBe(143);
    await expect(fetch(`${url}/v2/deployments`)).rejects.toThrow();
  });

  it('accepts a seed that a program wrote, however large it is', async () => {
    const deployments = Array.from({ length: 5_000 }, (_, at) => ({
      name: `agent-${at}`,
      source: 'external_container',
      source_revision_config: { image_uri: `registry.example.com/${'a'.repeat(300)}:1` },
    }));
    const folder = temporaryFolder({ 'seed.json': JSON.stringify({ deployments }) });
    const { terminal } = await serving(['simulate', '--port', '0', '--seed', folder.at('seed.json')]);
    expect(terminal.outText).toContain('with 5000 deployments');
    terminal.stop('SIGTERM');
  });

  it('behaves as its semantics and its rollout time say', async () => {
    const folder = temporaryFolder({
      'seed.json': JSON.stringify({ deployments: [{ name: 'agent', source: 'codehost' }] }),
    });
    const words = [
      'simulate',
      '--port',
      '0',
      '--seed',
      folder.at('seed.json'),
      '--semantics',
      'echo:empty-204',
      '--rollout-seconds',
      '3600',
    ];
    const { url } = await serving(words);
    const list = async () =>
      ((await (await fetch(`${url}/v2/deployments`)).json()) as { resources: Record<string, string>[] })
        .resources[0];
    const body = JSON.stringify({ source_revision_config: { repo_ref: 'main' } });
    const patched = await fetch(`${url}/v2/deployments/${(await list())?.['id']}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(patched.status).toBe(204);
    const shown = await list();
    expect(shown?.['latest_revision_id']).not.toBe(shown?.['active_revision_id']);
  });

  it('ends with 130 at Ctrl-C', async () => {
    const { terminal, ended } = await serving(['simulate', '--port', '0']);
    terminal.stop('SIGINT');
    expect(await ended).toBe(130);
  });

  it('lists every word for its behaviour, in lines that fit', async () => {
    const { out, code } = await run(['simulate', '--semantics', 'list'], { columns: 80 });
    expect(code).toBe(0);
    expect(out).toContain('lists');
    expect(out).not.toContain('…');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('bad input', () => {
  const files = {
    'broken.yaml': 'deployments: [',
    'wrong.yaml': 'deployments:\n- {name: a, source: nonsense}\n',
    'other.yaml': 'deploymints: []\n',
  };

  it.each([
    {
      name: 'a seed that does not exist',
      words: ['simulate', '--seed', '$/none.yaml'],
      code: 1,
      line: '$/none.yaml: the seed cannot be read; give a file that exists',
    },
    {
      name: 'a seed that is not YAML',
      words: ['simulate', '--seed', '$/broken.yaml'],
      code: 1,
      line: /^\$\/broken\.yaml:1:15: the indentation does not fit/,
    },
    {
      name: 'a seed with a wrong value',
      words: ['simulate', '--seed', '$/wrong.yaml'],
      code: 1,
      line: /^\$\/wrong\.yaml: deployments\[0\]\.source: /,
    },
    {
      name: 'a seed with an unknown field',
      words: ['simulate', '--seed', '$/other.yaml'],
      code: 1,
      line: /^\$\/other\.yaml: .*deploymints/,
    },
    {
      name: 'an unknown word',
      words: ['simulate', '--semantics', 'nonsense'],
      code: 64,
      line: /^--semantics: "nonsense" is no such word; see/,
    },
    {
      name: 'an address of another machine',
      words: ['simulate', '--host', '192.0.2.1'],
      code: 1,
      line: '192.0.2.1:7070: this machine has no such address; give another --host',
    },
    {
      name: 'a flag of run with a wrong value',
      words: ['run', '--workers', 'many'],
      code: 64,
      line: `--workers: "many" is not a whole number from 1 to 1000; see 'dms-operator run --help'`,
    },
    {
      name: 'flags of run that do not go together',
      words: ['run', '--prune'],
      code: 64,
      line: "--prune: works only together with --dir; see 'dms-operator run --help'",
    },
    {
      name: 'a variable with a wrong value',
      words: ['run'],
      environment: { DMS_OPERATOR_LOG_LEVEL: 'wran' },
      code: 64,
      line: 'DMS_OPERATOR_LOG_LEVEL: "wran" is not one of debug, info, warn, error (Did you mean warn?); see \'dms-operator run --help\'',
    },
    {
      name: 'an unknown command',
      words: ['rum'],
      code: 64,
      line: "unknown command 'rum' (Did you mean run?); see 'dms-operator --help'",
    },
  ])('is reported in one line without a stack: $name', async ({ words, environment = {}, code, line }) => {
    const folder = temporaryFolder(files);
    const result = await run(
      words.map((word) => word.replace('$', folder.path)),
      { environment },
    );
    expect(result).toMatchObject({ code, out: '' });
    const shown = result.err.replaceAll(folder.path, '$');
    expect(shown).toMatch(/^dms-operator: [^\n]+\n$/);
    expect(shown.replace('dms-operator: ', '').trimEnd()).toEqual(
      typeof line === 'string' ? line : expect.stringMatching(line),
    );
  });

  const wrong = [
    { flag: '--namespace', text: 'Not_A_Name' },
    { flag: '--metrics-address', text: 'nowhere' },
    { flag: '--operator-namespace', text: '-' },
    { flag: '--allow-hosts', text: 'https://api.example.com' },
    { flag: '--workers', text: '1001' },
    { flag: '--log-level', text: 'loud' },
    { flag: '--log-format', text: 'xml' },
  ];

  it.each(wrong)('of run ends with 64 and names $flag, as flag or as variable', async ({ flag, text }) => {
    const variable = `DMS_OPERATOR_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
    const asFlag = await run(['run', flag, text]);
    const asVariable = await run(['run'], { environment: { [variable]: text } });
    expect([asFlag.code, asVariable.code]).toEqual([64, 64]);
    expect(asFlag.err).toMatch(new RegExp(`^dms-operator: ${flag}: "${text}" is not [^\\n]+\\n$`));
    expect(asVariable.err).toBe(asFlag.err.replace(flag, variable));
  });

  it.each([
    { words: ['--dir', '.', '--kubeconfig', 'c'], says: '--kubeconfig' },
    { words: ['--dir', '.', '--context', 'c'], says: '--context' },
    { words: ['--dir', '.', '--namespace', 'n'], says: '--namespace' },
    { words: ['--state', 's'], says: '--state' },
    { words: ['--secrets-dir', 's'], says: '--secrets-dir' },
    { words: ['--workers'], says: '--workers' },
    { words: ['--nonsense'], says: '--nonsense' },
    { words: ['nonsense'], says: 'nonsense' },
  ])('of run ends with 64 for $words', async ({ words, says }) => {
    const { code, out, err } = await run(['run', ...words]);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    expect(err).toMatch(/^dms-operator: [^\n]+\n$/);
    expect(err).toContain(says);
  });

  it('is reported in one line if the port is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await run(['simulate', '--port', String(port)])).toEqual({
      out: '',
      err: `dms-operator: 127.0.0.1:${port}: the port is in use; give another --port, or 0 for any free one\n`,
      code: 1,
    });
  });
});
