import { describe, expect, it } from 'vitest';
import { readPlannedAction } from '../../../src/simulator/server/control-reading.ts';
import { Bench, SEED } from '../support.ts';

const edit = (value: string) =>
  ({ kind: 'edit', deployment: 'agent', path: 'source_config.custom_url', value }) as const;
const OURS = { source_config: { build_on_push: true } };

const urlOf = (bench: Bench): unknown =>
  bench.service.deployment('agent')?.content.sourceConfig['custom_url'];

describe('a second actor', () => {
  it('acts right before a PATCH is handled, regardless of earlier delays', async () => {
    const bench = new Bench(SEED);
    bench.service.faults.add({ match: { operation: 'patch' }, fault: { kind: 'delay', ms: 2000 } });
    bench.service.actions.add({ match: { operation: 'patch' }, action: edit('theirs') });
    const patched = bench.patch('agent', { source_config: { custom_url: 'ours' } });
    await bench.clock.advance(1999);
    expect(urlOf(bench)).toBe('https://a.example.com');
    await bench.clock.runUntil(patched);
    expect(urlOf(bench)).toBe('ours');
    expect(bench.service.log.requests('patch')[0]?.found?.sourceConfig['custom_url']).toBe('theirs');
  });

  it('acts right after a PATCH, before its answer arrives', async () => {
    const bench = new Bench(SEED);
    bench.service.actions.add({ match: { operation: 'patch' }, when: 'after', action: edit('theirs') });
    const { json } = await bench.patch('agent', OURS);
    expect(json).toMatchObject({ source_config: { custom_url: 'https://a.example.com' } });
    expect(urlOf(bench)).toBe('theirs');
  });

  it('acts some seconds after a write', async () => {
    const bench = new Bench(SEED);
    const match = { operation: 'patch', deployment: 'agent' } as const;
    bench.service.actions.add({ match, when: 'after', delaySeconds: 5, action: edit('theirs') });
    await bench.patch('site', { source_config: { build_on_push: false } });
    await bench.clock.advance(60_000);
    await bench.patch('agent', OURS);
    await bench.clock.advance(4999);
    expect(urlOf(bench)).toBe('https://a.example.com');
    await bench.clock.advance(1);
    expect(urlOf(bench)).toBe('theirs');
  });

  it('acts on a 429 answer, as another client does during the wait', async () => {
    const bench = new Bench(SEED);
    bench.service.faults.add({
      match: { operation: 'patch', nth: 2 },
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    });
    bench.service.actions.add({
      match: { operation: 'patch', status: 429 },
      when: 'after',
      action: edit('theirs'),
    });
    await bench.patch('agent', OURS);
    expect(urlOf(bench)).toBe('https://a.example.com');
    expect((await bench.patch('site', { source_config: { build_on_push: false } })).status).toBe(429);
    expect(urlOf(bench)).toBe('theirs');
  });

  it('waits for the creation of a name, and for a list request with an id or a name', async () => {
    const bench = new Bench(SEED);
    const match = { operation: 'create', deployment: 'fresh' } as const;
    const status = (value: string) => ({ kind: 'edit', deployment: 'fresh', path: 'status', value }) as const;
    bench.service.actions.add({ match, when: 'after', action: status('UNKNOWN') });
    await bench.send('POST', '/v2/deployments', { name: 'fresh', source: 'external_container' });
    expect(bench.service.shown('fresh')).toMatchObject({ status: 'UNKNOWN' });
    const list = { operation: 'list', deployment: 'fresh' } as const;
    bench.service.actions.add({ match: list, action: status('UNUSED') });
    bench.service.actions.add({ match: list, action: status('READY') });
    await bench.list();
    expect(bench.service.actions.pending).toHaveLength(2);
    expect(await bench.list(`deployment_ids=${bench.id('fresh')}`)).toMatchObject([{ status: 'READY' }]);
    expect(bench.service.actions.pending).toEqual([]);
  });

  it('ends silently if it finds no target later', async () => {
    const bench = new Bench(SEED);
    bench.service.actions.add({ match: {}, delaySeconds: 5, action: edit('theirs') });
    await bench.list();
    bench.service.act({ kind: 'delete', deployment: 'agent' });
    await bench.clock.advance(5000);
    expect(bench.service.actions.pending).toEqual([]);
  });
});

describe('a service that turns switches by itself', () => {
  it('does so from a request on, for all or for one deployment', async () => {
    const bench = new Bench(SEED);
    const semantics = { secretsEcho: 'omitted' } as const;
    bench.service.actions.add({
      match: { operation: 'patch' },
      when: 'after',
      action: { kind: 'switch', semantics, deployment: 'agent' },
    });
    expect((await bench.listed('agent'))['secrets']).toHaveLength(2);
    await bench.patch('agent', OURS);
    expect((await bench.listed('agent'))['secrets']).toEqual([]);
    expect(bench.service.semantics('agent').secretsEcho).toBe('omitted');
    expect(bench.service.semantics().secretsEcho).toBe('plain');
  });

  it('restores them after some seconds, and no others', async () => {
    const bench = new Bench(SEED, 'list:no-secrets');
    bench.service.act({ kind: 'switch', semantics: { listShape: ['no-source-status'] }, seconds: 30 });
    bench.service.setSemantics({ trigger: 'never' });
    expect(bench.service.semantics().listShape).toEqual(['no-source-status']);
    await bench.clock.advance(30_000);
    expect(bench.service.semantics()).toMatchObject({ listShape: ['no-secrets'], trigger: 'never' });
  });

  it('ends each of several overlapping changes by itself, and keeps none of them permanently', async () => {
    const bench = new Bench(SEED);
    const turned = (trigger: 'never' | 'always', seconds: number) =>
      bench.service.act({ kind: 'switch', semantics: { trigger }, seconds });
    turned('never', 10);
    turned('always', 30);
    await bench.clock.advance(10_000);
    expect(bench.service.semantics().trigger).toBe('always');
    await bench.clock.advance(20_000);
    expect(bench.service.semantics().trigger).toBe('on-change');
  });

  it('restores those of one deployment to the common values', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ unset: 'null' }, 'agent');
    const semantics = { unset: 'absent', trigger: 'never', nested: {} } as const;
    bench.service.act({ kind: 'switch', semantics, deployment: 'agent', seconds: 30 });
    bench.service.setSemantics({ trigger: 'always' });
    bench.service.setSemantics({ nested: { resourceSpec: 'merge-null-clears' } }, 'agent');
    expect(bench.service.semantics('agent').trigger).toBe('never');
    await bench.clock.advance(30_000);
    expect(bench.service.semantics('agent')).toMatchObject({
      unset: 'null',
      trigger: 'always',
      nested: { resourceSpec: 'merge-null-clears' },
    });
  });
});

describe('a planned action as a document', () => {
  it('is read without its optional fields', () => {
    const action = edit('x');
    expect(readPlannedAction({ action: { ...action } })).toMatchObject({ when: 'before', delaySeconds: 0 });
    const match = { operation: 'patch', deployment: 'agent', status: 429 };
    const all = { match, when: 'after', delaySeconds: 5, action: { ...action }, times: 2 };
    expect(readPlannedAction(all)).toEqual(all);
    const turned = { kind: 'switch', semantics: 'masked', deployment: 'agent', seconds: 5 };
    expect(readPlannedAction({ action: turned }).action).toMatchObject({
      ...turned,
      semantics: { secretsEcho: 'stars' },
    });
  });

  it.each([
    [{ when: 'during', action: edit('x') }, 'when: is wrong; expected one of before, after'],
    [{ match: { status: 429 }, action: edit('x') }, 'match.status: is not known'],
    [{ action: { kind: 'switch' } }, 'action.semantics: is missing; expected an object'],
  ])('says what is wrong with %j', (document, message) => {
    expect(() => readPlannedAction(document)).toThrow(message);
  });
});
