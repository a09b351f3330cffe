import { describe, expect, it } from 'vitest';
import { decodePage } from '../../../src/wire/decode.ts';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';
import { Bench } from '../support.ts';

const DEPLOYMENT = {
  name: 'agent',
  source: 'external_container',
  source_config: {
    install_command: 'npm ci',
    build_command: 'npm run build',
    custom_url: 'https://a.example.com',
    listener_config: { k8s_namespace: 'ns' },
    resource_spec: { cpu: 1 },
  },
  source_revision_config: { image_uri: 'registry.example.com/agent:1' },
  secrets: { API_A: 'alpha-secret' },
  secret_references: [{ name: 'REF', secret_name: 's', secret_key: 'k' }],
};

const inConfig = (key: string) => (item: WireObject) => (item['source_config'] as WireObject)[key];
const at = (key: string) => (item: WireObject) => item[key];

describe('a list that hides fields that answers show', () => {
  it.each([
    ['no-commands', inConfig('install_command'), undefined],
    ['no-commands', inConfig('build_command'), undefined],
    ['no-listener-config', inConfig('listener_config'), undefined],
    ['no-resource-spec', inConfig('resource_spec'), undefined],
    ['resource-spec-null', inConfig('resource_spec'), null],
    ['empty-source-config', at('source_config'), {}],
    ['no-image-uri', at('source_revision_config'), {}],
    ['empty-revision-config', at('source_revision_config'), {}],
    ['no-revision-block', at('source_revision_config'), undefined],
    ['empty-secrets', at('secrets'), []],
    ['null-references', at('secret_references'), null],
    ['no-references', at('secret_references'), undefined],
  ])('under %s', async (shape, read, want) => {
    const bench = new Bench({ deployments: [DEPLOYMENT] }, `list:${shape}`);
    const item = await bench.listed('agent');
    expect(read(item)).toEqual(want);
    const { json } = await bench.patch('agent', { source_config: { build_on_push: true } });
    const { secrets: _secrets, ...shown } = DEPLOYMENT;
    expect(json).toMatchObject(shown);
    expect(read(json as WireObject)).not.toEqual(want);
  });

  it('hides several at once, and of one deployment if configured', async () => {
    const bench = new Bench({ deployments: [DEPLOYMENT, { ...DEPLOYMENT, name: 'other' }] });
    const listShape = ['no-commands', 'resource-spec-null', 'empty-secrets', 'no-revision-block'] as const;
    bench.service.setSemantics({ listShape: [...listShape] }, 'agent');
    const item = await bench.listed('agent');
    expect(item).toMatchObject({ secrets: [], source_config: { resource_spec: null } });
    expect(item).not.toHaveProperty('source_revision_config');
    expect(await bench.listed('other')).toMatchObject({ secrets: [{ name: 'API_A' }] });
  });
});

describe('an item that cannot be read', () => {
  const usable = (json: WireJson): readonly string[] =>
    decodePage(json, (value) => value)?.items.map(({ name }) => name) ?? [];

  it.each(['big-integer', 'proto-key', 'no-id', 'no-object'])('occurs under %s', async (form) => {
    const bench = new Bench({ deployments: [DEPLOYMENT, { ...DEPLOYMENT, name: 'other' }] });
    bench.service.act({
      kind: 'switch',
      semantics: { listItem: form as 'no-id' },
      deployment: 'agent',
      seconds: 60,
    });
    expect(usable((await bench.get('/v2/deployments')).json)).toEqual(['other']);
    await bench.clock.advance(60_000);
    expect(usable((await bench.get('/v2/deployments')).json)).toEqual(['agent', 'other']);
  });
});

describe('a list that hides deployments', () => {
  const names = async (bench: Bench, query = 'limit=100'): Promise<readonly unknown[]> =>
    (await bench.list(query)).map(({ name }) => name);

  it('shows half of them, or none, and all again after some seconds', async () => {
    const bench = new Bench({ load: { count: 4 } });
    const act = (listShows: 'half' | 'nothing') =>
      bench.service.act({ kind: 'switch', semantics: { listShows }, seconds: 10 });
    act('half');
    expect(await names(bench)).toEqual(['load-00000', 'load-00002']);
    expect(await names(bench, `deployment_ids=${bench.id('load-00001')}`)).toEqual([]);
    await bench.clock.advance(10_000);
    expect(await names(bench)).toHaveLength(4);
    act('nothing');
    expect(await names(bench)).toEqual([]);
  });

  it('hides a new deployment for some seconds, while a PATCH finds it', async () => {
    const bench = new Bench({ deployments: [DEPLOYMENT] }, 'appears:40s');
    await bench.send('POST', '/v2/deployments', { name: 'fresh', source: 'external_container' });
    expect((await bench.patch('fresh', { source_config: { build_on_push: true } })).status).toBe(200);
    await bench.clock.advance(39_999);
    expect(await names(bench)).toEqual(['agent']);
    await bench.clock.advance(1);
    expect(await names(bench)).toEqual(['agent', 'fresh']);
  });
});

describe('a DELETE that is accepted and never executed', () => {
  it('gets the usual answer, and changes nothing', async () => {
    const bench = new Bench({ deployments: [DEPLOYMENT] }, 'deletion:accepted-only');
    const before = await bench.listed('agent');
    const path = `/v2/deployments/${bench.id('agent')}`;
    expect((await bench.send('DELETE', path)).status).toBe(204);
    await bench.clock.advance(3_600_000);
    expect(await bench.listed('agent')).toEqual(before);
  });
});
