import { describe, expect, it } from 'vitest';
import type { WireJson } from '../../../src/wire/wire-json.ts';
import { Bench, SEED } from '../support.ts';

const INTEGRATION = '11111111-2222-4333-8444-555555555555';

describe('GET /v2/auth/providers (4.1)', () => {
  it('returns an array of records with every field of 2.1', async () => {
    const bench = new Bench({ providers: [{ name: 'github' }] });
    const { status, headers, json } = await bench.get('/v2/auth/providers');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const [record] = json as [Record<string, WireJson>];
    expect(Object.keys(record).toSorted()).toEqual([
      'auth_url',
      'client_id',
      'code_challenge_method',
      'created_at',
      'id',
      'is_dynamic_client',
      'mcp_server_url',
      'name',
      'organization_id',
      'provider_id',
      'provider_type',
      'token_endpoint_auth_method',
      'token_url',
      'updated_at',
      'uses_pkce',
    ]);
    expect(record).toMatchObject({
      token_endpoint_auth_method: 'client_secret_post',
      is_dynamic_client: false,
    });
  });
});

describe('GET /v1/integrations/forge/codehost/{id}/repos (4.2)', () => {
  const bench = new Bench({
    integrations: [{ id: INTEGRATION, repositories: [{ owner: 'acme', name: 'site' }] }],
  });

  it('returns the repositories of an integration, with every field of 2.2', async () => {
    const { status, json } = await bench.get(`/v1/integrations/forge/codehost/${INTEGRATION}/repos`);
    expect(status).toBe(200);
    expect(json).toEqual([
      {
        host_integration_id: INTEGRATION,
        id: expect.any(Number) as number,
        name: 'site',
        owner: 'acme',
        url: 'https://codehost.example.com/acme/site',
        default_branch: 'main',
      },
    ]);
  });

  it('returns 404 for an integration that does not exist, and 422 for an invalid UUID', async () => {
    const other = INTEGRATION.replace('1111', '9999');
    expect((await bench.get(`/v1/integrations/forge/codehost/${other}/repos`)).status).toBe(404);
    expect((await bench.get('/v1/integrations/forge/codehost/mine/repos')).status).toBe(422);
  });
});

describe('GET /v2/deployments (4.3)', () => {
  it('returns resources and offset, each resource with every field of 2.3', async () => {
    const { status, json } = await new Bench(SEED).get('/v2/deployments');
    expect(status).toBe(200);
    expect(json).toMatchObject({ offset: 2 });
    const [agent] = (json as { resources: [Record<string, WireJson>] }).resources;
    expect(Object.keys(agent).toSorted()).toEqual([
      'active_revision_id',
      'created_at',
      'id',
      'image_version',
      'latest_revision_id',
      'name',
      'secret_references',
      'secrets',
      'source',
      'source_config',
      'source_revision_config',
      'status',
      'tenant_id',
      'updated_at',
    ]);
    expect(agent).toMatchObject({ status: 'READY', source: 'external_container', name: 'agent' });
    expect(agent['active_revision_id']).toBe(agent['latest_revision_id']);
  });

  it('shows the commit of a repository source, and omits it for other sources', async () => {
    const bench = new Bench(SEED);
    const site = (await bench.listed('site'))['source_revision_config'];
    expect(site).toMatchObject({
      repo_ref: 'main',
      repo_commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    });
    expect((await bench.listed('agent'))['source_revision_config']).not.toHaveProperty('repo_commit_sha');
  });

  it('is empty without deployments', async () => {
    expect((await new Bench().get('/v2/deployments')).json).toEqual({ resources: [], offset: 0 });
  });
});

describe('PATCH /v2/deployments/{id} (4.4)', () => {
  it('returns the deployment after the change', async () => {
    const bench = new Bench(SEED);
    const { status, json } = await bench.patch('agent', {
      source_revision_config: { image_uri: 'registry.example.com/agent:2' },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: bench.id('agent'),
      source_revision_config: { image_uri: 'registry.example.com/agent:2' },
      source_config: { custom_url: 'https://a.example.com' },
      secrets: [{ name: 'API_A' }, { name: 'API_B' }],
    });
  });

  it('names the new revision at once, and makes it the active one after the rollout', async () => {
    const bench = new Bench(SEED);
    const before = await bench.listed('agent');
    await bench.patch('agent', { source_revision_config: { image_uri: 'registry.example.com/agent:2' } });
    const rolling = await bench.listed('agent');
    expect(rolling['latest_revision_id']).not.toBe(before['latest_revision_id']);
    expect(rolling['active_revision_id']).toBe(before['active_revision_id']);
    await bench.clock.advance(4_999);
    expect((await bench.listed('agent'))['active_revision_id']).toBe(before['active_revision_id']);
    await bench.clock.advance(1);
    expect((await bench.listed('agent'))['active_revision_id']).toBe(rolling['latest_revision_id']);
  });

  it('makes no revision for a change of source_config (section 3, rule 2)', async () => {
    const bench = new Bench(SEED);
    const before = await bench.listed('agent');
    await bench.patch('agent', { source_config: { custom_url: 'https://b.example.com' } });
    expect((await bench.listed('agent'))['latest_revision_id']).toBe(before['latest_revision_id']);
  });

  it('uses revision_source for one revision, and keeps the source', async () => {
    const bench = new Bench(SEED);
    const { json } = await bench.patch('site', { revision_source: 'internal_container' });
    expect(json).toMatchObject({ source: 'codehost' });
    expect(bench.service.deployment('site')?.revisions.map(({ source }) => source)).toEqual([
      'codehost',
      'internal_container',
    ]);
  });

  it('accepts null for the three nullable blocks, without effect', async () => {
    const bench = new Bench(SEED);
    const before = await bench.listed('agent');
    const { status, json } = await bench.patch('agent', {
      revision_source: null,
      secrets: null,
      secret_references: null,
    });
    expect(status).toBe(200);
    expect((json as Record<string, WireJson>)['secrets']).toEqual(before['secrets']);
  });

  it('returns 404 for an unknown id and 422 for an invalid UUID', async () => {
    const bench = new Bench(SEED);
    expect((await bench.send('PATCH', `/v2/deployments/${INTEGRATION}`, {})).status).toBe(404);
    expect((await bench.send('PATCH', '/v2/deployments/agent', {})).status).toBe(422);
  });

  it('is the only endpoint that changes updated_at', async () => {
    const bench = new Bench(SEED);
    const before = await bench.listed('agent');
    await bench.clock.advance(60_000);
    expect((await bench.listed('agent'))['updated_at']).toBe(before['updated_at']);
    await bench.patch('agent', { source_config: { custom_url: 'https://b.example.com' } });
    expect((await bench.listed('agent'))['updated_at']).not.toBe(before['updated_at']);
  });
});

describe('operations that the specification only mentions', () => {
  it('creates: waits for the database, then rolls out, then is ready', async () => {
    const bench = new Bench({}, 'database:60s,rollout:30s');
    const created = await bench.send('POST', '/v2/deployments', {
      name: 'new',
      source: 'external_container',
      source_config: {},
      source_revision_config: { image_uri: 'registry.example.com/new:1' },
      secrets: [],
    });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ status: 'AWAITING_DATABASE', active_revision_id: null });
    await bench.clock.advance(60_000);
    expect(await bench.listed('new')).toMatchObject({ status: 'READY', active_revision_id: null });
    await bench.clock.advance(30_000);
    const ready = await bench.listed('new');
    expect(ready['active_revision_id']).toBe(ready['latest_revision_id']);
  });

  it('refuses a second deployment of one name unless configured to allow it', async () => {
    const bench = new Bench(SEED);
    const body = { name: 'agent', source: 'external_container', secrets: [] };
    expect((await bench.send('POST', '/v2/deployments', body)).status).toBe(409);
    bench.service.setSemantics({ duplicateNames: 'allowed' });
    expect((await bench.send('POST', '/v2/deployments', body)).status).toBe(201);
    expect(bench.service.deployments().filter(({ name }) => name === 'agent')).toHaveLength(2);
  });

  it('accepts additions to a creation body, and refuses read-only fields', async () => {
    const bench = new Bench();
    const body = { name: 'new', source: 'external_container', secrets: [] };
    expect((await bench.send('POST', '/v2/deployments', { ...body, extra: true })).status).toBe(201);
    expect(
      (await bench.send('POST', '/v2/deployments', { ...body, name: 'b', status: 'READY' })).status,
    ).toBe(422);
    expect((await bench.send('POST', '/v2/deployments', { name: 'c' })).status).toBe(422);
  });

  it('deletes at once, or says AWAITING_DELETE for as long as requested', async () => {
    const bench = new Bench(SEED, 'deletion:20s');
    const path = `/v2/deployments/${bench.id('agent')}`;
    expect((await bench.send('DELETE', path)).status).toBe(204);
    expect(await bench.listed('agent')).toMatchObject({ status: 'AWAITING_DELETE' });
    await bench.clock.advance(20_000);
    expect((await bench.list()).map(({ name }) => name)).toEqual(['site']);
    expect((await bench.send('DELETE', path)).status).toBe(404);
  });

  it.each([
    ['GET', 'retrieval:missing-404', 404],
    ['GET', 'retrieval:missing-405', 405],
    ['GET', 'retrieval:available', 200],
    ['DELETE', 'deletion:missing-404', 404],
    ['DELETE', 'deletion:missing-405', 405],
    ['DELETE', 'deletion:missing-501', 501],
  ])('answers %s of one deployment under %s with %i', async (method, words, status) => {
    const bench = new Bench(SEED, words);
    expect((await bench.send(method, `/v2/deployments/${bench.id('agent')}`)).status).toBe(status);
  });

  it.each([
    ['creation:missing-404', 404],
    ['creation:missing-405', 405],
  ])('answers a creation under %s with %i', async (words, status) => {
    const body = { name: 'new', source: 'external_container', secrets: [] };
    expect((await new Bench({}, words).send('POST', '/v2/deployments', body)).status).toBe(status);
  });

  it('supports retrieval of one deployment only if it is enabled', async () => {
    const bench = new Bench(SEED);
    expect((await bench.get(`/v2/deployments/${bench.id('agent')}`)).status).toBe(404);
  });

  it.each([
    ['PUT', '/v2/deployments', 405],
    ['GET', '/v3/deployments', 404],
    ['GET', '/', 404],
  ])('knows nothing of %s %s, and notes it', async (method, path, status) => {
    const bench = new Bench();
    expect((await bench.send(method, path)).status).toBe(status);
    expect(bench.service.log.violations).toMatchObject([{ rule: 'unknown-operation' }]);
  });
});

describe('ids', () => {
  it('are the same in every run', () => {
    expect(new Bench(SEED).id('agent')).toBe(new Bench(SEED).id('agent'));
    const revisions = (): unknown => new Bench(SEED).service.deployment('agent')?.revisions;
    expect(revisions()).toEqual(revisions());
  });
});
