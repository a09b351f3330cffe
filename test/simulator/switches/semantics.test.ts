import { describe, expect, it } from 'vitest';
import type { WireJson, WireObject } from '../../../src/wire/wire-json.ts';
import { PLEASANT } from '../../../src/simulator/switches/semantics.ts';
import { Bench, SEED, wordsOf } from '../support.ts';

/** Returns the agent of the seed after one PATCH under these switches. */
async function after(words: string, body: WireJson): Promise<WireObject> {
  const bench = new Bench(SEED, words);
  const { status } = await bench.patch('agent', body);
  if (status !== 200) throw new Error(`the PATCH was answered with ${status}`);
  return bench.listed('agent');
}

/** Returns the number of revisions of the agent after one PATCH under these switches. It starts with one. */
async function revisionsAfter(words: string, body: WireJson): Promise<number> {
  const bench = new Bench(SEED, words);
  await bench.patch('agent', body);
  return bench.service.deployment('agent')?.revisions.length ?? 0;
}

const names = (value: WireJson | undefined): unknown => (value as WireObject[]).map(({ name }) => name);

describe('blocks that a PATCH leaves out', () => {
  const body = { source_config: { custom_url: 'https://b.example.com' } };

  it('keep their values when unchanged', async () => {
    const shown = await after('omit:unchanged', body);
    expect(names(shown['secrets'])).toEqual(['API_A', 'API_B']);
    expect(shown['source_revision_config']).toEqual({ image_uri: 'registry.example.com/agent:1' });
  });

  it('lose their values when cleared', async () => {
    const shown = await after('omit:cleared', body);
    expect(shown['secrets']).toEqual([]);
    expect(shown['source_revision_config']).toEqual({});
  });
});

describe('keys that an object of a PATCH leaves out or sets to null', () => {
  const both = { source_config: { custom_url: null, build_on_push: true } };

  it('stay, and null clears, under merge-null-clears', async () => {
    const config = (await after('source-config:merge-null-clears', both))['source_config'];
    expect(config).toEqual({ build_on_push: true, resource_spec: { cpu: 1, memory_mb: 4096, queue_cpu: 4 } });
  });

  it('stay, and null does nothing, under merge-null-ignored', async () => {
    const config = (await after('source-config:merge-null-ignored', both))['source_config'];
    expect(config).toMatchObject({ build_on_push: true, custom_url: 'https://a.example.com' });
  });

  it('are refused when null under merge-null-rejected, which violates no rule of the specification', async () => {
    const bench = new Bench(SEED, 'source-config:merge-null-rejected');
    expect((await bench.patch('agent', both)).status).toBe(422);
    expect(bench.service.log.violations).toEqual([]);
    expect((await bench.patch('agent', { source_config: { build_on_push: true } })).status).toBe(200);
  });

  it('are lost under replace', async () => {
    expect((await after('source-config:replace', both))['source_config']).toEqual({ build_on_push: true });
  });

  it('have their own switch in source_revision_config', async () => {
    const body = { source_revision_config: { repo_ref: 'main' } };
    expect((await after('revision-config:merge', body))['source_revision_config']).toEqual({
      image_uri: 'registry.example.com/agent:1',
      repo_ref: 'main',
    });
    expect((await after('revision-config:replace', body))['source_revision_config']).toEqual({
      repo_ref: 'main',
    });
  });

  it('have their own switch in resource_spec', async () => {
    const body = { source_config: { resource_spec: { cpu: 2 } } };
    const spec = async (words: string): Promise<WireJson | undefined> =>
      ((await after(words, body))['source_config'] as WireObject)['resource_spec'];
    expect(await spec('resource-spec:replace')).toEqual({ cpu: 2 });
    expect(await spec('resource-spec:merge')).toEqual({ cpu: 2, memory_mb: 4096, queue_cpu: 4 });
  });
});

describe('lists of a PATCH', () => {
  const sent = {
    secrets: [
      { name: 'API_B', value: 'new' },
      { name: 'API_C', value: 'c' },
    ],
  };

  it.each([
    ['replace', ['API_B', 'API_C']],
    ['merge-by-name', ['API_A', 'API_B', 'API_C']],
    ['append', ['API_A', 'API_B', 'API_B', 'API_C']],
    ['empty-ignored', ['API_B', 'API_C']],
  ])('are met with %s', async (mode, want) => {
    expect(names((await after(`lists:${mode}`, sent))['secrets'])).toEqual(want);
  });

  it('use the new value if an element with the name exists', async () => {
    const secrets = (await after('lists:merge-by-name', sent))['secrets'] as WireObject[];
    expect(secrets.find(({ name }) => name === 'API_B')).toEqual({ name: 'API_B', value: 'new' });
  });

  it.each([
    ['replace', 0],
    ['merge-by-name', 2],
    ['append', 2],
    ['empty-ignored', 2],
  ])('when empty leave under %s %i elements', async (mode, want) => {
    expect((await after(`lists:${mode}`, { secrets: [] }))['secrets']).toHaveLength(want);
  });

  it('identify mounts by their path inside resource_spec', async () => {
    const bench = new Bench(SEED, 'resource-spec:merge,lists:merge-by-name');
    const mounts = (...paths: string[]): WireJson => ({
      source_config: {
        resource_spec: { volume_mounts: paths.map((mountPath) => ({ name: 'v', mountPath })) },
      },
    });
    await bench.patch('agent', mounts('/a', '/b'));
    await bench.patch('agent', mounts('/b', '/c'));
    const { resource_spec } = (await bench.listed('agent'))['source_config'] as { resource_spec: WireObject };
    expect((resource_spec['volume_mounts'] as WireObject[]).map(({ mountPath }) => mountPath)).toEqual([
      '/a',
      '/b',
      '/c',
    ]);
  });
});

describe('the changes that make a revision', () => {
  const same = { source_revision_config: { image_uri: 'registry.example.com/agent:1' } };
  const other = { source_revision_config: { image_uri: 'registry.example.com/agent:2' } };
  const config = { source_config: { custom_url: 'https://b.example.com' } };

  it.each([
    ['on-change', 1, 2, 1],
    ['on-presence', 2, 2, 1],
    ['always', 2, 2, 2],
    ['never', 1, 1, 1],
    ['delayed', 1, 2, 1],
  ])(
    '%s: %i after equal values, %i after others, %i after source_config alone',
    async (trigger, equal, changed, alone) => {
      expect(await revisionsAfter(`trigger:${trigger}`, same)).toBe(equal);
      expect(await revisionsAfter(`trigger:${trigger}`, other)).toBe(changed);
      expect(await revisionsAfter(`trigger:${trigger}`, config)).toBe(alone);
    },
  );

  it('include a delayed revision, shown late with the new values at once', async () => {
    const bench = new Bench(SEED, 'trigger:delayed-30s');
    const before = await bench.listed('agent');
    await bench.patch('agent', other);
    const soon = await bench.listed('agent');
    expect(soon['source_revision_config']).toEqual(other.source_revision_config);
    expect(soon['latest_revision_id']).toBe(before['latest_revision_id']);
    await bench.clock.advance(30_000);
    expect((await bench.listed('agent'))['latest_revision_id']).not.toBe(before['latest_revision_id']);
  });

  it.each([
    ['revision-config', { secrets: [] }, 1],
    ['and-secrets', { secrets: [] }, 2],
    ['and-secrets', { source_config: { resource_spec: { cpu: 3 } } }, 1],
    ['and-resource-spec', { source_config: { resource_spec: { cpu: 3 } } }, 2],
    ['and-secrets', { secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] }, 2],
  ])('treats blocks as the switch says: %s, %j gives %i revisions', async (blocks, body, want) => {
    expect(await revisionsAfter(`revision-for:${blocks}`, body)).toBe(want);
  });
});

describe('secrets in answers', () => {
  it.each([
    ['plain', [{ name: 'API_A', value: 'alpha-secret' }]],
    ['null', [{ name: 'API_A', value: null }]],
    ['empty', [{ name: 'API_A', value: '' }]],
    ['stars', [{ name: 'API_A', value: '********' }]],
    ['partial', [{ name: 'API_A', value: 'al…et' }]],
    ['names-only', [{ name: 'API_A' }]],
    ['omitted', []],
    ['digest', [{ name: 'API_A', value: expect.stringMatching(/^[0-9a-f]{16}$/) as string }]],
  ])('are %s', async (echo, want) => {
    const seed = { deployments: [{ ...SEED.deployments[0], secrets: { API_A: 'alpha-secret' } }] };
    expect((await new Bench(seed, `secrets:${echo}`).listed('agent'))['secrets']).toEqual(want);
  });

  it('are kept as they were sent, regardless of the form in answers', async () => {
    const bench = new Bench(SEED, 'secrets:omitted');
    await bench.patch('agent', { secrets: [{ name: 'API_A', value: 'new' }] });
    expect(bench.service.deployment('agent')?.content.secrets).toEqual([{ name: 'API_A', value: 'new' }]);
  });
});

describe('normalisation', () => {
  const spec = async (words: string, resource_spec: WireJson): Promise<WireObject> =>
    ((await after(words, { source_config: { resource_spec } }))['source_config'] as WireObject)[
      'resource_spec'
    ] as WireObject;

  it('rounds to one digit, or up to whole numbers', async () => {
    expect(await spec('round1', { cpu: 0.25 })).toEqual({ cpu: 0.3 });
    expect(await spec('integer', { cpu: 0.25 })).toEqual({ cpu: 1 });
  });

  it('fills in defaults', async () => {
    expect(await spec('add-defaults', { cpu: 3 })).toMatchObject({ cpu: 3, min_scale: 1, db_storage_gi: 8 });
  });

  it('shows a commit instead of a branch', async () => {
    const shown = (await new Bench(SEED, 'ref-to-sha').listed('site'))[
      'source_revision_config'
    ] as WireObject;
    expect(shown['repo_ref']).toMatch(/^[0-9a-f]{40}$/);
    expect(shown['repo_ref']).toBe(shown['repo_commit_sha']);
  });

  it('shows a commit as itself, also while the newest revision has another one', async () => {
    const bench = new Bench(SEED, 'ref-to-sha,trigger:never');
    const commit = 'c'.repeat(40);
    await bench.patch('site', { source_revision_config: { repo_ref: commit } });
    expect((await bench.listed('site'))['source_revision_config']).toMatchObject({ repo_ref: commit });
  });

  it('adds slashes and changes case', async () => {
    const shown = await after('trailing-slash,lower-case', {
      source_config: { custom_url: 'https://B.example.com' },
      source_revision_config: { image_uri: 'Registry.example.com/Agent:1' },
    });
    expect(shown['source_config']).toMatchObject({ custom_url: 'https://b.example.com/' });
    expect(shown['source_revision_config']).toMatchObject({ image_uri: 'registry.example.com/agent:1' });
  });

  it('reorders lists whose order is irrelevant, except commands and init containers', async () => {
    const container = {
      name: 'a',
      command: ['x', 'y'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    };
    const shown = await spec('reorder', {
      sidecars: [container, { name: 'b' }],
      init_containers: [container, { name: 'c' }],
    });
    expect(names(shown['sidecars'])).toEqual(['b', 'a']);
    expect(names(shown['init_containers'])).toEqual(['a', 'c']);
    const [first] = shown['init_containers'] as [{ command: string[]; env: WireObject[] }];
    expect(first.command).toEqual(['x', 'y']);
    expect(names(first.env)).toEqual(['B', 'A']);
    expect(names((await new Bench(SEED, 'reorder').listed('agent'))['secrets'])).toEqual(['API_B', 'API_A']);
  });

  it('makes no revision when a normalized value is sent back', async () => {
    const bench = new Bench(SEED, 'round1,revision-for:and-resource-spec');
    await bench.patch('agent', { source_config: { resource_spec: { cpu: 0.25 } } });
    await bench.patch('agent', { source_config: { resource_spec: { cpu: 0.3 } } });
    expect(bench.service.deployment('agent')?.revisions).toHaveLength(2);
  });

  it('comes late if configured', async () => {
    const bench = new Bench(SEED, 'integer,normalise-after:10s');
    const cpu = async (): Promise<unknown> =>
      ((await bench.listed('agent'))['source_config'] as { resource_spec: WireObject }).resource_spec['cpu'];
    await bench.patch('agent', { source_config: { resource_spec: { cpu: 1.5 } } });
    expect(await cpu()).toBe(1.5);
    await bench.clock.advance(10_000);
    expect(await cpu()).toBe(2);
  });
});

describe('the answer to a PATCH', () => {
  const body = { source_config: { custom_url: 'https://b.example.com' } };

  it('is the previous state under pre, and the change has happened', async () => {
    const bench = new Bench(SEED, 'echo:pre');
    expect((await bench.patch('agent', body)).json).toMatchObject({
      source_config: { custom_url: 'https://a.example.com' },
    });
    expect(await bench.listed('agent')).toMatchObject(body);
  });

  it('contains only the sent fields under partial', async () => {
    const { json } = await new Bench(SEED, 'echo:partial').patch('agent', body);
    expect(Object.keys(json as WireObject).toSorted()).toEqual(['id', 'name', 'source_config', 'updated_at']);
  });

  it.each([
    ['empty-204', 204],
    ['empty-202', 202],
  ])('has no body under %s', async (echo, status) => {
    const answer = await new Bench(SEED, `echo:${echo}`).patch('agent', body);
    expect(answer).toMatchObject({ status, text: '' });
  });
});

describe('single fields', () => {
  const url = 'source_config.custom_url';
  const body = { source_config: { custom_url: 'https://b.example.com', build_on_push: true } };

  it('are refused when they change, if a rule rejects them', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ fieldRules: { [url]: 'rejected' } });
    expect((await bench.patch('agent', body)).status).toBe(422);
    const equal = { source_config: { custom_url: 'https://a.example.com', build_on_push: true } };
    expect((await bench.patch('agent', equal)).status).toBe(200);
    expect(bench.service.log.violations).toEqual([]);
  });

  it('keep their value, are hidden, or show another value, according to the rule', async () => {
    const shownUnder = async (rule: 'ignored' | 'hidden' | 'contrary'): Promise<unknown> => {
      const bench = new Bench(SEED);
      bench.service.setSemantics({ fieldRules: { [url]: rule } });
      await bench.patch('agent', body);
      return ((await bench.listed('agent'))['source_config'] as WireObject)['custom_url'];
    };
    expect(await shownUnder('ignored')).toBe('https://a.example.com');
    expect(await shownUnder('hidden')).toBeUndefined();
    expect(await shownUnder('contrary')).toBe('https://b.example.com-other');
  });

  it('show as null if configured for fields without a value', async () => {
    const shown = await new Bench(SEED, 'unset:null').listed('agent');
    expect(shown['source_config']).toMatchObject({ repo_url: null, listener_config: null });
    expect(shown['source_revision_config']).toMatchObject({ repo_ref: null, repo_commit_sha: null });
  });
});

describe('rollouts', () => {
  const body = { source_revision_config: { image_uri: 'registry.example.com/agent:2' } };

  it.each([
    ['rollout:instant', 0, true],
    ['rollout:90s', 89_999, false],
    ['rollout:90s', 90_000, true],
    ['rollout:never-active', 86_400_000, false],
    ['rollout:fails', 86_400_000, false],
  ])('under %s after %i ms: active is %s', async (words, waitMs, active) => {
    const bench = new Bench(SEED, words);
    await bench.patch('agent', body);
    await bench.clock.advance(waitMs);
    const shown = await bench.listed('agent');
    expect(shown['active_revision_id'] === shown['latest_revision_id']).toBe(active);
  });

  it('of an older revision do not displace a newer one that is active', async () => {
    const bench = new Bench(SEED, 'rollout:60s');
    await bench.patch('agent', body);
    bench.service.setSemantics({ rollout: { kind: 'after', seconds: 0 } });
    await bench.patch('agent', { source_revision_config: { image_uri: 'registry.example.com/agent:3' } });
    await bench.clock.advance(60_000);
    const shown = await bench.listed('agent');
    expect(shown['active_revision_id']).toBe(shown['latest_revision_id']);
  });
});

describe('switches', () => {
  it('can be changed at run time, for all or for one deployment, and restored', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics(wordsOf('masked'));
    bench.service.setSemantics(wordsOf('names-only,resource-spec:merge'), 'agent');
    expect(bench.service.semantics().secretsEcho).toBe('stars');
    expect(bench.service.semantics('agent')).toMatchObject({
      secretsEcho: 'names-only',
      nested: { resourceSpec: 'merge-null-clears', sourceConfig: 'merge-null-clears' },
    });
    expect((await bench.listed('agent'))['secrets']).toEqual([{ name: 'API_A' }, { name: 'API_B' }]);
    bench.service.resetSemantics();
    expect(bench.service.semantics('agent')).toEqual(PLEASANT);
  });

  it('of one deployment can be given in a seed', () => {
    const bench = new Bench({
      deployments: [{ ...SEED.deployments[0], semantics: 'masked' }, SEED.deployments[1]],
    });
    expect(bench.service.semantics('agent').secretsEcho).toBe('stars');
    expect(bench.service.semantics('site').secretsEcho).toBe('plain');
  });
});
