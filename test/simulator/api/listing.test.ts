import { describe, expect, it } from 'vitest';
import { manyDeployments } from '../../../src/simulator/state/service-seed.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';
import { Bench, SEED } from '../support.ts';

interface Page {
  readonly resources: readonly WireObject[];
  readonly offset?: number;
}

function loaded(count: number, words = ''): Bench {
  return new Bench({ load: { count } }, words);
}

async function page(bench: Bench, query: string): Promise<Page> {
  return (await bench.get(`/v2/deployments?${query}`)).json as unknown as Page;
}

const namesOf = ({ resources }: Page): unknown[] => resources.map(({ name }) => name);

describe('pages of the list', () => {
  it('contain at most the requested number of items, and 20 by default', async () => {
    const bench = loaded(30);
    expect((await page(bench, 'limit=7')).resources).toHaveLength(7);
    expect((await page(bench, '')).resources).toHaveLength(20);
  });

  it('contain at most the maximum of the service, regardless of the request', async () => {
    const bench = loaded(30);
    bench.service.setSemantics({ pageCap: 10 });
    expect((await page(bench, 'limit=100')).resources).toHaveLength(10);
  });

  it('follow each other without a gap', async () => {
    const bench = loaded(25);
    const first = await page(bench, 'limit=20');
    const second = await page(bench, `limit=20&offset=${first.offset}`);
    expect(new Set([...namesOf(first), ...namesOf(second)]).size).toBe(25);
    expect((await page(bench, `limit=20&offset=${second.offset}`)).resources).toEqual([]);
  });

  it.each([
    ['next', [20, 25]],
    ['echo', [0, 20]],
    ['limit-step', [20, 40]],
    ['total', [25, 25]],
    ['missing', [undefined, undefined]],
    ['wraps-to-0', [20, 0]],
  ])('answer an offset that means %s', async (mode, want) => {
    const bench = loaded(25, `offset:${mode}`);
    const first = await page(bench, 'limit=20&offset=0');
    const second = await page(bench, 'limit=20&offset=20');
    expect([first.offset, second.offset]).toEqual(want);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'deployment_type=test', 'deployment_ids=a,b'])(
    'are refused for %s, and that is recorded (section 8)',
    async (query) => {
      const bench = loaded(1);
      expect((await bench.get(`/v2/deployments?${query}`)).status).toBe(422);
      expect(bench.service.log.violations).toMatchObject([{ rule: 'bad-parameter' }]);
    },
  );
});

describe('filters of the list', () => {
  const bench = new Bench({
    deployments: [
      {
        name: 'agent',
        source: 'external_container',
        image_version: '1.2',
        deployment_type: 'prod',
        tag_value_ids: ['a', 'b'],
      },
      {
        name: 'agent-two',
        source: 'codehost',
        status: 'UNUSED',
        deployment_type: 'dev',
        remote_reconciled: true,
      },
      { name: 'Agent', source: 'codehost', tag_value_ids: ['a'] },
    ],
  });
  const found = async (query: string): Promise<unknown[]> => namesOf(await page(bench, query));

  it.each([
    ['name_contains=agent', ['agent', 'agent-two']],
    ['status=UNUSED', ['agent-two']],
    ['remote_reconciled=true', ['agent-two']],
    ['tag_value_ids=a', ['agent', 'Agent']],
    ['tag_value_ids=a,b', ['agent']],
    ['image_version=1.2', ['agent']],
    ['deployment_type=dev', ['agent-two']],
    ['name_contains=agent&deployment_type=prod', ['agent']],
    ['something=else', ['agent', 'agent-two', 'Agent']],
  ])('%s finds %j', async (query, want) => {
    expect(await found(query)).toEqual(want);
  });

  it('accept ids, regardless of letter case', async () => {
    const ids = [bench.id('Agent'), bench.id('agent').toUpperCase()];
    expect(await found(`deployment_ids=${ids.join(',')}`)).toEqual(['agent', 'Agent']);
  });

  it.each([
    ['exact', ['agent']],
    ['contains', ['agent', 'agent-two']],
    ['contains-any-case', ['agent', 'agent-two', 'Agent']],
  ])('find names that match: %s', async (mode, want) => {
    bench.service.setSemantics({ nameMatch: mode as 'exact' });
    expect(await found('name_contains=agent')).toEqual(want);
  });

  it('find names regardless of letter case, if they match in that mode', async () => {
    bench.service.setSemantics({ nameMatch: 'contains-any-case' });
    expect(await found('name_contains=AGENT-')).toEqual(['agent-two']);
  });

  it('accept only a limited number of ids', async () => {
    bench.service.setSemantics({ maxIDs: 1 });
    const two = `deployment_ids=${bench.id('agent')},${bench.id('Agent')}`;
    expect((await bench.get(`/v2/deployments?${two}`)).status).toBe(414);
  });
});

describe('names of the parameters', () => {
  it('may differ: the guessed ones have no effect then', async () => {
    const bench = loaded(5, 'parameters:others');
    expect((await page(bench, 'limit=2')).resources).toHaveLength(5);
    expect((await page(bench, 'page_size=2&skip=4')).resources).toHaveLength(1);
  });

  it('may all be ignored: every page is the first one', async () => {
    const bench = loaded(30, 'parameters:ignored');
    expect(await page(bench, 'limit=5&offset=20')).toEqual(await page(bench, ''));
  });

  it('may be refused, which violates no rule of the specification', async () => {
    const bench = loaded(5, 'rejected-422');
    expect((await bench.get('/v2/deployments?name_contains=a')).status).toBe(422);
    expect((await bench.get('/v2/deployments?limit=5&offset=0')).status).toBe(200);
    expect(bench.service.log.violations).toEqual([]);
  });
});

describe('items of the list', () => {
  it('may lack source and status, as in the sample (2.3), while a PATCH answer has them', async () => {
    const bench = new Bench(SEED, 'no-source-status');
    expect(await bench.listed('agent')).not.toHaveProperty('source');
    expect(await bench.listed('agent')).not.toHaveProperty('status');
    expect((await bench.patch('agent', {})).json).toHaveProperty('status', 'READY');
  });

  it('may lack secrets, and may carry unknown fields', async () => {
    expect(await new Bench(SEED, 'no-secrets').listed('agent')).not.toHaveProperty('secrets');
    expect(await new Bench(SEED, 'extra-fields').listed('agent')).toMatchObject({ display_name: 'AGENT' });
  });

  it('come in an order that is the same for every page', async () => {
    const bench = loaded(12);
    const orders: unknown[][] = [];
    for (const listOrder of ['created', 'newest-first', 'name', 'shuffled'] as const) {
      bench.service.setSemantics({ listOrder });
      const whole = namesOf(await page(bench, 'limit=100'));
      const parts = [await page(bench, 'limit=6'), await page(bench, 'limit=6&offset=6')].flatMap(namesOf);
      expect(parts).toEqual(whole);
      orders.push(whole);
    }
    expect(orders[1]).toEqual(orders[0]?.toReversed());
    expect(orders[3]).not.toEqual(orders[0]);
  });
});

describe('a list that lags behind the writes', () => {
  const body = { source_config: { custom_url: 'https://b.example.com' } };
  const url = async (bench: Bench): Promise<unknown> =>
    ((await bench.listed('agent'))['source_config'] as WireObject)['custom_url'];

  it('shows the state of some seconds ago', async () => {
    const bench = new Bench(SEED, 'lag:20s');
    await bench.patch('agent', body);
    await bench.clock.advance(19_999);
    expect(await url(bench)).toBe('https://a.example.com');
    await bench.clock.advance(1);
    expect(await url(bench)).toBe('https://b.example.com');
  });

  it('shows the previous state for a number of reads', async () => {
    const bench = new Bench(SEED, 'lag:2reads');
    await bench.patch('agent', body);
    expect(await url(bench)).toBe('https://a.example.com');
    expect(await url(bench)).toBe('https://a.example.com');
    expect(await url(bench)).toBe('https://b.example.com');
  });

  it('shows no revision that appeared after the next write', async () => {
    const bench = new Bench(SEED, 'lag:1reads,trigger:delayed-5s');
    const shown = async (): Promise<readonly unknown[]> => {
      const { latest_revision_id: revision, source_config: config } = await bench.listed('agent');
      return [revision, (config as WireObject)['custom_url']];
    };
    const [first] = await shown();
    await bench.patch('agent', { source_revision_config: { image_uri: 'r.example.com/agent:2' } });
    await shown();
    await bench.patch('agent', body);
    await bench.clock.advance(5000);
    expect(await shown()).toEqual([first, 'https://a.example.com']);
    expect(await shown()).toEqual([expect.not.stringMatching(String(first)), 'https://b.example.com']);
  });

  it('shows new deployments late, and deleted ones for a while', async () => {
    const bench = new Bench(SEED, 'lag:20s');
    await bench.send('POST', '/v2/deployments', { name: 'new', source: 'external_container', secrets: [] });
    await bench.send('DELETE', `/v2/deployments/${bench.id('site')}`);
    expect((await bench.list()).map(({ name }) => name)).toEqual(['agent', 'site']);
    await bench.clock.advance(20_000);
    expect((await bench.list()).map(({ name }) => name)).toEqual(['agent', 'new']);
  });

  it('does not affect PATCH answers, which show the present', async () => {
    const bench = new Bench(SEED, 'lag:20s');
    expect((await bench.patch('agent', body)).json).toMatchObject(body);
  });
});

describe('a load', () => {
  it('covers all five sources in turn, with stable ids', () => {
    const seeds = manyDeployments(10);
    expect(new Set(seeds.map(({ source }) => source)).size).toBe(5);
    expect(new Set(seeds.map(({ id }) => id)).size).toBe(10);
    expect(manyDeployments(10)).toEqual(seeds);
  });
});
