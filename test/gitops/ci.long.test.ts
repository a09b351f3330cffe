import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { deploymentSeed, EMPTY_SEED } from '../../src/simulator/state/service-seed.ts';
import { serveSimulator, type SimulatorServer } from '../../src/simulator/server/simulator-server.ts';
import { SimulatedService } from '../../src/simulator/server/simulated-service.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import { run } from '../cli/support/terminal.ts';
import { connectionYaml, deploymentYaml } from '../directory/support/manifests.ts';
import { textOf } from '../docs/support.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { addCommands, OUR_PROGRAM, runInShell } from './support/shell.ts';
import { calledCommands, gitHubScripts, gitLabScripts, type Script, understand } from './support/scripts.ts';

const EXAMPLES = [
  { name: 'GitHub Actions', scripts: gitHubScripts(textOf('manifests/gitops/ci/github-actions.yaml')) },
  { name: 'GitLab', scripts: gitLabScripts(textOf('manifests/gitops/ci/gitlab-ci.yaml')) },
];

const SERVICE_API_KEY = 'key-of-the-service';
const SCRIPT_LIMIT_MS = 60_000;

/** A command on the PATH that records its calls, and prints the request that it would send. */
const NOTED = '#!/bin/sh\necho "$(basename "$0") $*" >> "$NOTES"\n';

/** Writes the download to the given file, as curl does. */
const FETCHES = `${NOTED}while [ $# -gt 0 ]; do [ "$1" = --output ] && echo package > "$2"; shift; done\n:\n`;
const PACKAGE_SHA256 = createHash('sha256').update('package\n').digest('hex');

let service: SimulatedService;
let server: SimulatorServer;

beforeEach(async () => {
  const deployments = [
    deploymentSeed('agent', {
      source: 'external_container',
      revisionConfig: { image_uri: 'registry.example.com/agent:1' },
    }),
  ];
  service = new SimulatedService({
    clock: new VirtualClock({ seed: 1 }),
    seed: { ...EMPTY_SEED, deployments },
  });
  server = await serveSimulator({ service });
});

afterEach(() => server.close());

/** Returns a repository with manifests in deploy/, and the commands that jobs call. */
function repository(image: string): TemporaryFolder {
  const headers =
    '  headers: [{name: X-Api-Key, valueFrom: {secretKeyRef: {name: service-credentials, key: api-key}}}]\n';
  const connection = connectionYaml('default', { spec: headers });
  const folder = temporaryFolder({
    'deploy/connection.yaml': connection.replace('https://deploy.example.com', server.url),
    'deploy/agent.yaml': deploymentYaml('agent', { image }),
  });
  addCommands(folder, { 'dms-operator': OUR_PROGRAM, npm: NOTED, gh: NOTED, curl: FETCHES });
  return folder;
}

/** Runs a script as its job does, with the simulated service in place of the real one. */
function runScript(
  script: Script,
  folder: TemporaryFolder,
  more: Readonly<Record<string, string>> = {},
): ReturnType<typeof runInShell> {
  const text = script.text.replaceAll('deploy.example.com', new URL(server.url).host);
  return runInShell(text, folder, {
    ...{ NOTES: folder.at('notes'), SERVICE_API_KEY, PACKAGE: 'dms-operator.tgz', PACKAGE_SHA256 },
    ...{ PULL_REQUEST: 'https://git.example.com/pull/7', CI_API_V4_URL: 'https://git.example.com/api/v4' },
    ...{ CI_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '7', NOTES_TOKEN: 'token-of-notes' },
    ...more,
  });
}

describe.each(EXAMPLES)('the job for $name', ({ scripts }) => {
  test('calls our program with valid arguments', () => {
    const called = scripts.flatMap(({ text }) => calledCommands(text));
    expect(called.map((line) => line.split(' ')[0])).toEqual(['validate', 'plan']);
    for (const line of called) understand(line);
  });

  test('reports the changes in a comment', { timeout: SCRIPT_LIMIT_MS }, async () => {
    const folder = repository('registry.example.com/agent:2');
    for (const script of scripts) {
      const { code, out } = await runScript(script, folder);
      expect(code, `${script.name}: ${out}`).toBe(0);
    }
    expect(folder.read('plan.md')).toContain('sourceRevisionConfig.imageURI');
    expect(folder.read('plan.md')).not.toContain(SERVICE_API_KEY);
    expect(folder.read('notes')).toMatch(/^(?:gh|curl) .*plan\.md/m);
    expect(service.log.count('patch')).toBe(0);
  });

  test('installs only the package that it names by checksum', async () => {
    const folder = repository('registry.example.com/agent:2');
    const installs = scripts.find(({ text }) => text.includes('npm install'));
    if (installs === undefined) throw new Error('no script installs the program');
    const { code } = await runScript(installs, folder, { PACKAGE_SHA256: '0'.repeat(64) });
    expect(code).not.toBe(0);
    expect(folder.read('notes')).not.toContain('npm install');
  });

  test('fails on an invalid manifest', { timeout: SCRIPT_LIMIT_MS }, async () => {
    const folder = repository('registry.example.com/agent:2');
    folder.write('deploy/agent.yaml', folder.read('deploy/agent.yaml').replace('source:', 'sorce:'));
    const { code, out } = await runScript(theOneThatCalls('validate'), folder);
    expect(code, out).toBe(1);
    expect(out).toContain('sorce');
  });

  test(
    'sends the credential to no other host, regardless of a branch',
    { timeout: SCRIPT_LIMIT_MS },
    async () => {
      const folder = repository('registry.example.com/agent:2');
      const elsewhere = server.url.replace('127.0.0.1', 'localhost');
      folder.write(
        'deploy/connection.yaml',
        folder.read('deploy/connection.yaml').replace(server.url, elsewhere),
      );
      const { code } = await runScript(theOneThatCalls('plan'), folder);
      expect(code).not.toBe(0);
      expect(service.log.requests()).toEqual([]);
    },
  );

  function theOneThatCalls(command: string): Script {
    const found = scripts.find(({ text }) => calledCommands(text).some((line) => line.startsWith(command)));
    if (found === undefined) throw new Error(`no script calls ${command}`);
    return found;
  }
});

describe('the hook for pre-commit', () => {
  const [hook] = parse(textOf('.pre-commit-hooks.yaml')) as [
    { readonly entry: string; readonly args: readonly string[]; readonly pass_filenames: boolean },
  ];

  test.each([
    { name: 'is content with good manifests', source: 'external_container', code: 0 },
    { name: 'fails on a wrong one', source: 'external', code: 1 },
  ])('$name', async ({ source, code }) => {
    const folder = temporaryFolder({
      'deploy/agent.yaml': deploymentYaml('agent').replace('external_container', source),
      'other.yaml': 'a: b\n',
    });
    const [program, ...words] = [...hook.entry.split(' '), ...hook.args];
    expect([program, hook.pass_filenames, hook.args]).toEqual(['dms-operator', false, ['-f', '.']]);
    const there = words.map((word) => (word === '.' ? folder.path : word));
    expect(await run(there)).toMatchObject({ code, err: '' });
  });
});
