import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { connectionTo, type ServedService, servedService } from '../../support/worlds/served-service.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from '../support/terminal.ts';

const SECRET = 'deploy-secret-9876';
const TOKEN = 'conn-token-5555';
const CREDENTIAL = `Bearer ${TOKEN}`;
const ECHO = `env ${SECRET} is bad; your key is ${CREDENTIAL} (${TOKEN}, ${Buffer.from(CREDENTIAL).toString('base64')})`;
const HEADERS = { sunset: ECHO, location: `https://elsewhere.example.com/?key=${TOKEN}&env=${SECRET}` };
const SPEC = `  headers: [{name: Authorization, valueFrom: {secretKeyRef: {name: service, key: key}}}]
  poll: {intervalSeconds: 1, rolloutSeconds: 1}
`;
const SECRETS = `  secretsOwnership: Exclusive
  secrets: [{name: TOKEN, valueFrom: {secretKeyRef: {name: app, key: token}}}]
`;

interface Echoing {
  readonly folder: TemporaryFolder;
  readonly service: ServedService['service'];
}

/** The connections that a resource can go through, each with the namespace of the Secrets of its headers. */
const CONNECTIONS = [
  { kind: 'Connection', namespace: 'team-a' },
  { kind: 'ClusterConnection', namespace: 'default' },
] as const;
type Through = (typeof CONNECTIONS)[number];

async function given({ kind, namespace }: Through): Promise<Echoing> {
  const { url, service } = await servedService(
    [{ name: 'agent', revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
    { semantics: { rollout: { kind: 'after', seconds: 0 } } },
  );
  const folder = temporaryFolder({
    'connection.yaml': together(
      secretYaml('service', { key: CREDENTIAL }, namespace),
      connectionTo(url, { kind, spec: SPEC }),
    ),
    'a.yaml': together(
      secretYaml('app', { token: SECRET }),
      deploymentYaml('agent', { image: 'registry.example.com/agent:2', spec: SECRETS }),
    ),
  });
  return { folder, service };
}

/** Every command that sends requests to the service, in every output format. */
const COMMANDS: readonly (readonly string[])[] = [
  ...['text', 'wide', 'name', 'json', 'yaml'].map((format) => ['get', 'deployments', '-o', format]),
  ...['text', 'json'].map((format) => ['get', 'providers', '-o', format]),
  ['import', '--all'],
  ['import', '--all', '--with-secrets', '--output-dir', 'imported'],
  ...['text', 'json', 'yaml', 'markdown'].map((format) => ['plan', '-o', format]),
  ['plan', '--detailed'],
  ['describe', 'agent'],
  ['apply', '--wait', '--timeout', '2s'],
  ...['text', 'json'].map((format) => ['status', '-o', format]),
  ['validate'],
];

/** Runs all commands on the folder. Returns their output and the content of the files that the test did not write. */
async function everythingShown({ folder }: Echoing, commands = COMMANDS): Promise<string> {
  const printed: string[] = [];
  for (const [name = '', ...words] of commands) {
    const named = words.map((word) => (word === 'imported' ? folder.at(word) : word));
    const { out, err } = await run([name, ...named, '-f', folder.path]);
    printed.push(`${name}\n${out}${err}`);
  }
  for (const entry of readdirSync(folder.path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath === folder.path) continue;
    printed.push(folder.read(`${entry.parentPath.slice(folder.path.length + 1)}/${entry.name}`));
  }
  return printed.join('\n');
}

const SPELLINGS = [
  SECRET,
  TOKEN,
  ...[SECRET, CREDENTIAL].map((text) => Buffer.from(text).toString('base64')),
];

function expectNothingRepeated(text: string, secrets: readonly string[] = SPELLINGS): void {
  for (const value of secrets) expect(text).not.toContain(value);
}

const answer = (status: number, body: unknown): PlannedFault['fault'] => ({
  kind: 'status',
  ...{ status, headers: HEADERS, body: JSON.stringify(body) },
});

describe.each(CONNECTIONS)('commands through a $kind to a service that repeats its input', (through) => {
  it.each([401, 302, 403, 404, 422])('show none of it if every answer is %d', async (status) => {
    const echoing = await given(through);
    const detail = status % 2 === 0 ? ECHO : [{ loc: ['body'], msg: ECHO, type: 'value_error' }];
    echoing.service.faults.add({ match: {}, fault: answer(status, { detail }), times: 0 });
    expectNothingRepeated(await everythingShown(echoing));
  });

  it('show none of it if only writes are refused with it', async () => {
    const echoing = await given(through);
    echoing.service.faults.add({
      match: { operation: 'patch' },
      fault: answer(422, { detail: ECHO }),
      times: 0,
    });
    const text = await everythingShown(echoing);
    expectNothingRepeated(text);
    expect(text).toContain('[redacted]');
  });

  it('show none of the credential where the list and the providers are full of it', async () => {
    const echoing = await given(through);
    const shown = await (await fetch(`${new URL(urlOf(echoing)).origin}/v2/deployments`)).json();
    const [first] = (shown as { resources: Record<string, unknown>[] }).resources;
    const text = `built by ${CREDENTIAL}`;
    const times = { created_at: text, updated_at: text, status: text, image_version: text };
    const source_config = {
      custom_url: `https://a/${TOKEN}`,
      [TOKEN]: 1,
      resource_spec: { labels: { [TOKEN]: 'a', [`x-${TOKEN}`]: { [TOKEN]: 1 } } },
    };
    const agent = { ...first, ...times, [TOKEN]: TOKEN, source_config };
    const other = { ...agent, id: '7d6c87d5-0a10-4e3b-9d5c-0f3c1b9e8a77', name: `by ${TOKEN}` };
    const broken = { id: 'broken', name: 7, source_config: { [TOKEN]: { [TOKEN]: 1 } } };
    const list = { resources: [agent, other, broken], offset: 3 };
    const provider = { id: TOKEN, organization_id: 'o', provider_id: TOKEN, name: text, client_id: 'c' };
    const rest = { auth_url: text, token_url: text, provider_type: text };
    const { faults } = echoing.service;
    faults.add({ match: { operation: 'list' }, fault: answer(200, list), times: 0 });
    faults.add({
      match: { operation: 'providers' },
      fault: answer(200, [{ ...provider, ...rest }]),
      times: 0,
    });
    const all = await everythingShown(echoing);
    expectNothingRepeated(all, SPELLINGS);
    expect(all).toContain('built by [redacted]');
    expect(all).toContain('it repeats a secret header of the connection, which belongs in no file');
  });
});

describe.each(CONNECTIONS)('a resource through a $kind', (through) => {
  it('is described without a secret in the name of a secret, in the name of a field or in the value of a field', async () => {
    const echoing = await given(through);
    const shown = await (await fetch(`${new URL(urlOf(echoing)).origin}/v2/deployments`)).json();
    const [first] = (shown as { resources: Record<string, unknown>[] }).resources;
    const names = [SECRET, TOKEN, `x-${SECRET}`];
    const agent = {
      ...first,
      secrets: names.map((name) => ({ name, value: 'x' })),
      source_config: {
        resource_spec: { cpu: 1, ...Object.fromEntries(names.map((name) => [name, { [name]: name }])) },
      },
    };
    const list = { resources: [agent], offset: 1 };
    echoing.service.faults.add({ match: { operation: 'list' }, fault: answer(200, list), times: 0 });
    const texts: string[] = [];
    for (const ownership of ['Exclusive', 'Guarded', 'Merge'] as const) {
      const spec = `${SECRETS.replace('Exclusive', ownership)}  sourceConfig: {resourceSpec: {cpu: 2}}\n`;
      const image = 'registry.example.com/agent:2';
      echoing.folder.write(
        'a.yaml',
        together(secretYaml('app', { token: SECRET }), deploymentYaml('agent', { image, spec })),
      );
      const commands = COMMANDS.filter(([name]) => name !== 'get' && name !== 'import');
      texts.push(await everythingShown(echoing, commands));
    }
    const all = texts.join('\n');
    expectNothingRepeated(all);
    expect(all).toContain('the service also lists [redacted], [redacted], x-[redacted]');
    expect(all).toMatch(/"x-\[redacted\]": \{/);
    expect(all).toContain('"[redacted] (2)"');
  });
});

function urlOf({ folder }: Echoing): string {
  const [, url = ''] = /baseURL: (\S+)/.exec(folder.read('connection.yaml')) ?? [];
  return url;
}
