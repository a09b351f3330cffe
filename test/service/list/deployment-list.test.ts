import { describe, expect, it } from 'vitest';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { DeploymentList } from '../../../src/service/list/deployment-list.ts';
import type { ServiceAnswer, ServiceRequest } from '../../../src/service/http/exchange.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const PARAMETERS = { limit: 'limit', offset: 'offset', name: 'name_contains', ids: 'deployment_ids' };
const FOREVER = new AbortController().signal;

interface Service {
  /** Parameters that the service answers with 422. */
  readonly refuses?: readonly string[];
  readonly answer?: Partial<ServiceAnswer>;
  readonly fails?: ConnectionError;
}

/** A list endpoint that may refuse parameters, and the queries that it received. */
class Bench {
  readonly queries: Record<string, string>[] = [];
  readonly requests: ServiceRequest[] = [];
  readonly unknown: (readonly string[])[] = [];
  settings: ConnectionSettings['list'] = { pageSize: 100, parameters: PARAMETERS };
  service: Service = {};
  readonly clock = new VirtualClock();
  readonly list = new DeploymentList({
    clock: this.clock,
    settings: () => this.settings,
    onUnknownFields: (names) => this.unknown.push(names),
    mostParts: 1_000_000,
    read: async ({ request: requestOf, use }) => {
      const request = requestOf();
      this.requests.push(request);
      const query = Object.fromEntries(request.query ?? []);
      this.queries.push(query);
      if (this.service.fails !== undefined) throw this.service.fails;
      if (this.service.refuses?.some((name) => name in query) === true) throw failed(422);
      return use({
        status: 200,
        headers: {},
        text: JSON.stringify({ resources: [] }),
        ...this.service.answer,
      });
    },
  });

  constructor(service: Service = {}) {
    this.service = service;
  }

  page(offset = 0, limit = 100) {
    return this.list.page({ offset, limit, priority: 'resync' }, FOREVER);
  }
}

function failed(status: number): ConnectionError {
  return new ConnectionError(`answered with ${status}`, { reason: 'ProtocolError', sent: 'no', status });
}

describe('a page of the list', () => {
  it('is requested by limit and offset, under the names of the connection', async () => {
    const bench = new Bench();
    bench.settings = { pageSize: 50, parameters: { ...PARAMETERS, limit: 'page_size', offset: 'skip' } };
    await bench.page(150, 50);
    expect(bench.queries).toEqual([{ page_size: '50', skip: '150' }]);
    expect(bench.requests[0]).toMatchObject({ method: 'GET', path: '/v2/deployments', operation: 'list' });
    expect(bench.list.note).toBeUndefined();
  });

  it('carries items, offset and the items that could not be read', async () => {
    const text = JSON.stringify({ resources: [{ id: 'a', name: 'agent' }, { id: 'b' }], offset: 2 });
    const page = await new Bench({ answer: { text } }).page();
    expect(page.items).toEqual([{ id: 'a', name: 'agent' }]);
    expect(page.malformed).toHaveLength(1);
    expect(page.offset).toBe(2);
  });

  it.each<[string, Partial<ServiceAnswer>, string]>([
    ['a login page (H48)', { text: '<html>', headers: { 'content-type': 'text/html' } }, 'NotJSON'],
    ['nothing', { text: '' }, 'NotJSON'],
    ['a list', { text: '[]' }, 'ProtocolError'],
    ['another object', { text: '{"items":[]}' }, 'ProtocolError'],
    ['null', { text: 'null' }, 'ProtocolError'],
  ])('is never taken as empty if the answer is %s', async (_, answer, reason) => {
    await expect(new Bench({ answer }).page()).rejects.toMatchObject({ reason });
  });

  it('reports unknown fields once', async () => {
    const text = JSON.stringify({ resources: [{ id: 'a', name: 'agent', deployment_type: 'prod' }] });
    const bench = new Bench({ answer: { text } });
    await bench.page();
    await bench.page();
    expect(bench.unknown).toEqual([['deployment_type']]);
  });
});

describe('a parameter that the service refuses (N19)', () => {
  it.each([
    [['limit'], [{ limit: '100', offset: '0' }, { offset: '0' }], 'limit (spec.list.parameters.limit)'],
    [
      ['offset'],
      [{ limit: '100', offset: '0' }, { offset: '0' }, { limit: '100' }],
      'offset (spec.list.parameters.offset)',
    ],
    [
      ['limit', 'offset'],
      [{ limit: '100', offset: '0' }, { offset: '0' }, { limit: '100' }, {}],
      'limit (spec.list.parameters.limit) and offset (spec.list.parameters.offset)',
    ],
  ])('is left out and reported: %s', async (refuses, queries, told) => {
    const bench = new Bench({ refuses });
    await bench.page();
    expect(bench.queries).toEqual(queries);
    expect(bench.list.note).toBe(`the list refuses the parameter ${told}`);
  });

  it('is tried again after ten minutes, at a first page (C7)', async () => {
    const bench = new Bench({ refuses: ['limit', 'offset'] });
    await bench.page();
    bench.service = {};
    await bench.clock.advance(599_000);
    await bench.page();
    expect(bench.queries.at(-1)).toEqual({});
    await bench.clock.advance(1_000);
    await bench.page(100);
    expect(bench.queries.at(-1)).toEqual({});
    await bench.page();
    expect(bench.queries.at(-1)).toEqual({ limit: '100', offset: '0' });
    expect(bench.list.note).toBeUndefined();
  });

  it('that is refused again is left out for another ten minutes (C7)', async () => {
    const bench = new Bench({ refuses: ['limit'] });
    for (let n = 0; n < 60; n += 1) {
      await bench.page();
      await bench.clock.advance(60_000);
    }
    expect(bench.queries.filter((query) => 'limit' in query)).toHaveLength(6);
    expect(bench.list.note).toContain('spec.list.parameters.limit');
  });

  it('is not tried again at once, but when the settings change', async () => {
    const bench = new Bench({ refuses: ['limit'] });
    await bench.page();
    await bench.page(20);
    expect(bench.queries.slice(2)).toEqual([{ offset: '20' }]);
    bench.settings = { ...bench.settings, parameters: { ...PARAMETERS, limit: 'page_size' } };
    await bench.page();
    expect(bench.queries.at(-1)).toEqual({ page_size: '100', offset: '0' });
    expect(bench.list.note).toBeUndefined();
  });

  it('is not blamed after the first page, where the value may be refused', async () => {
    const bench = new Bench();
    await bench.page();
    bench.service = { refuses: ['offset'] };
    await expect(bench.page(100)).rejects.toMatchObject({ status: 422 });
    expect(bench.queries).toHaveLength(2);
  });

  it.each([401, 403, 404, 429, 500, 503])('is not blamed for %i', async (status) => {
    const bench = new Bench({ fails: failed(status) });
    await expect(bench.page()).rejects.toMatchObject({ status });
    expect(bench.queries).toHaveLength(1);
  });

  it('is not blamed if the service also refuses the list without parameters', async () => {
    const bench = new Bench({ fails: failed(400) });
    await expect(bench.page()).rejects.toMatchObject({ status: 400 });
    expect(bench.queries).toHaveLength(4);
    expect(bench.list.note).toBeUndefined();
  });
});

describe('single deployments', () => {
  it('are requested by their ids in one parameter', async () => {
    const bench = new Bench();
    await bench.list.withIDs(() => ['a', 'b'], 'rollout', FOREVER);
    expect(bench.queries[0]).toMatchObject({ deployment_ids: 'a,b' });
  });
});
