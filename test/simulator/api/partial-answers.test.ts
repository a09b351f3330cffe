import { describe, expect, it } from 'vitest';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';
import { Bench, SEED } from '../support.ts';

const BODY = {
  source_config: { build_on_push: true, resource_spec: { cpu: 2 } },
  secrets: [{ name: 'API_A', value: 'new' }],
};

async function answeredWith(echo: string, body: WireJson = BODY): Promise<WireObject> {
  const bench = new Bench(SEED, `merge,lists:merge-by-name,secrets:stars,echo:${echo}`);
  return (await bench.patch('agent', body)).json as WireObject;
}

const CONFIG = {
  custom_url: 'https://a.example.com',
  build_on_push: true,
  resource_spec: { cpu: 2, memory_mb: 4096, queue_cpu: 4 },
};
const STARS = '********';
const BOTH = [
  { name: 'API_A', value: STARS },
  { name: 'API_B', value: STARS },
];
const IMAGE = { image_uri: 'registry.example.com/agent:1' };
const IDENTITY = ['id', 'name', 'updated_at'];

describe('an answer to a PATCH that repeats only the request', () => {
  it('shows only the sent blocks, under partial', async () => {
    const answer = await answeredWith('partial');
    expect(Object.keys(answer).toSorted()).toEqual([...IDENTITY, 'secrets', 'source_config'].toSorted());
    expect(answer).toMatchObject({ source_config: CONFIG, secrets: BOTH });
  });

  it('shows the other blocks empty, under some-blocks', async () => {
    const answer = await answeredWith('some-blocks');
    expect(answer).toMatchObject({ status: 'READY', source: 'external_container' });
    expect(answer['source_config']).toEqual(CONFIG);
    expect(answer['source_revision_config']).toEqual({});
    expect(answer['secret_references']).toBeNull();
    const other = await answeredWith('some-blocks', { source_revision_config: IMAGE });
    expect(other).toMatchObject({ source_config: {}, secrets: [], source_revision_config: IMAGE });
    expect(other['source_config']).toEqual({});
  });

  it('shows the sent keys of those blocks, at any depth, and the other blocks whole, under sent-keys', async () => {
    const answer = await answeredWith('sent-keys');
    expect(answer['source_config']).toEqual({ build_on_push: true, resource_spec: { cpu: 2 } });
    expect(answer['secrets']).toEqual([BOTH[0]]);
    expect(answer['source_revision_config']).toEqual(IMAGE);
  });

  it('shows these keys and nothing else, under sent-only', async () => {
    const answer = await answeredWith('sent-only');
    expect(Object.keys(answer).toSorted()).toEqual([...IDENTITY, 'secrets', 'source_config'].toSorted());
    expect(answer['source_config']).toEqual({ build_on_push: true, resource_spec: { cpu: 2 } });
  });

  it('omits a key that null cleared', async () => {
    const answer = await answeredWith('sent-only', {
      source_config: { custom_url: null },
      secret_references: null,
    });
    expect(answer).toMatchObject({ source_config: {}, secret_references: null });
    expect(answer['source_config']).toEqual({});
  });
});

describe('an answer to a PATCH that lies', () => {
  it('shows a value that is not kept, if a field is pretended', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ fieldRules: { 'source_config.custom_url': 'pretended' } });
    const before = await bench.listed('agent');
    const sent = { source_config: { custom_url: 'https://b.example.com', build_on_push: true } };
    expect((await bench.patch('agent', sent)).json).toMatchObject(sent);
    expect(await bench.listed('agent')).toMatchObject({
      source_config: { ...(before['source_config'] as WireObject), build_on_push: true },
    });
    expect(bench.service.deployment('agent')?.revisions).toHaveLength(1);
  });

  it('may do so for the secrets, and otherwise follows the usual rules', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({
      fieldRules: { secrets: 'pretended', 'source_config.build_on_push': 'ignored' },
    });
    const { json } = await bench.patch('agent', {
      source_config: { build_on_push: true },
      secrets: [{ name: 'API_A', value: 'new' }],
    });
    expect(json).toMatchObject({ secrets: [{ name: 'API_A', value: 'new' }] });
    expect((json as WireObject)['source_config']).not.toHaveProperty('build_on_push');
    expect((await bench.listed('agent'))['secrets']).toEqual([
      { name: 'API_A', value: 'alpha-secret' },
      { name: 'API_B', value: 'bravo-secret' },
    ]);
  });
});
