import { describe, expect, it } from 'vitest';
import type { WireObject } from '../../../src/wire/wire-json.ts';
import { textOf } from '../../../src/simulator/values/wire-values.ts';
import { Bench, SEED } from '../support.ts';

const image = (tag: number) => ({
  source_revision_config: { image_uri: `registry.example.com/agent:${tag}` },
});

describe('a list from several replicas', () => {
  it('periodically shows an older snapshot, with the older revision', async () => {
    const bench = new Bench(SEED, 'stale:60s-every-3');
    const first = bench.service.deployment('agent')?.revisions.at(-1)?.id;
    await bench.clock.advance(100_000);
    await bench.patch('agent', image(2));
    const second = bench.service.deployment('agent')?.revisions.at(-1)?.id;
    await bench.clock.advance(59_000);
    const shown: unknown[] = [];
    for (let n = 0; n < 6; n += 1) shown.push((await bench.listed('agent'))['latest_revision_id']);
    expect(shown).toEqual([second, second, first, second, second, first]);
    await bench.clock.advance(1000);
    for (let n = 0; n < 3; n += 1) expect((await bench.listed('agent'))['latest_revision_id']).toBe(second);
  });

  it('lags for one deployment if configured', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ stale: { every: 1, seconds: 60 } }, 'agent');
    await bench.patch('agent', image(2));
    await bench.patch('site', { source_revision_config: { repo_ref: 'next' } });
    expect(await bench.listed('agent')).toMatchObject(image(1));
    expect(await bench.listed('site')).toMatchObject({ source_revision_config: { repo_ref: 'next' } });
  });
});

describe('pages that overlap', () => {
  const sweep = async (bench: Bench, limit: number): Promise<readonly WireObject[]> => {
    const seen: WireObject[] = [];
    for (let offset = 0, pages = 0; pages < 20; pages += 1) {
      const { json } = await bench.get(`/v2/deployments?limit=${limit}&offset=${offset}`);
      const page = json as { resources: readonly WireObject[]; offset: number };
      if (page.resources.length === 0 || (offset > 0 && page.offset === 0))
        return [...seen, ...page.resources];
      seen.push(...page.resources);
      offset = page.offset;
      if (offset === 0) return seen;
    }
    throw new Error('the sweep does not end');
  };

  it.each(['next', 'limit-step', 'wraps-to-0'])(
    'show the last item twice, and omit none, with offset %s',
    async (offset) => {
      const bench = new Bench({ load: { count: 6 } }, `pages:overlap,offset:${offset}`);
      const names = (await sweep(bench, 3)).map(({ name }) => textOf(name));
      expect([...new Set(names)]).toHaveLength(6);
      expect(names.slice(0, 6)).toEqual([0, 1, 2, 2, 3, 4].map((at) => `load-0000${at}`));
    },
  );

  it('show it with two ages if every second page lags', async () => {
    const bench = new Bench({ load: { count: 4 } }, 'pages:overlap,stale:60s-every-2');
    bench.service.act({
      kind: 'edit',
      deployment: 'load-00001',
      path: 'source_revision_config.repo_ref',
      value: 'next',
    });
    const ages = (await sweep(bench, 2)).filter(({ name }) => name === 'load-00001');
    expect(ages.map((item) => (item['source_revision_config'] as WireObject)['repo_ref'])).toEqual([
      'next',
      'main',
    ]);
    expect(ages[0]?.['latest_revision_id']).not.toBe(ages[1]?.['latest_revision_id']);
  });
});

describe('a service with a low rate limit', () => {
  const PATH = '/v2/deployments';

  it('refuses everything for the duration of Retry-After', async () => {
    const bench = new Bench(SEED, 'rate:2/10s,retry-after:120s');
    const status = async (): Promise<unknown> => {
      const { status: code, headers } = await bench.get(PATH);
      return code === 429 ? `429 ${headers['retry-after']}` : code;
    };
    expect([await status(), await status(), await status()]).toEqual([200, 200, '429 120']);
    await bench.clock.advance(60_000);
    expect((await bench.patch('agent', image(2))).status).toBe(429);
    expect(await status()).toBe('429 60');
    await bench.clock.advance(60_000);
    expect([await status(), await status(), await status()]).toEqual([200, 200, '429 120']);
  });
});
