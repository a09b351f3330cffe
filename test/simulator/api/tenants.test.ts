import { describe, expect, it } from 'vitest';
import { readSeed } from '../../../src/simulator/server/read-seed.ts';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { DEFAULT_TENANT } from '../../../src/simulator/state/world.ts';
import { Bench } from '../support.ts';

const THEIRS = uuidFrom('their tenant');
const NOBODYS = uuidFrom('a tenant without deployments');
const NEW = { name: 'agent-1', source: 'external_container' };

/** Returns a service with one deployment of the usual tenant and one of another tenant. */
function shared(): Bench {
  const other = { name: 'agent-2', source: 'external_container', tenant_id: THEIRS };
  const bench = new Bench({ deployments: [{ ...NEW, tenant_id: DEFAULT_TENANT }, other] });
  bench.service.setSemantics({ auth: belonging(DEFAULT_TENANT) });
  return bench;
}

function belonging(tenantID: string) {
  return { kind: 'tenant-header', name: 'X-Key', tenants: { k: tenantID, other: THEIRS } } as const;
}

async function seenWith(bench: Bench, key: string): Promise<unknown> {
  const { json, status } = await bench.get('/v2/deployments', { 'x-key': key });
  return status === 200
    ? (json as { resources: { name: string }[] }).resources.map(({ name }) => name)
    : status;
}

describe('a credential that belongs to a tenant', () => {
  it('shows only the deployments of that tenant; a credential without a tenant is refused', async () => {
    const bench = shared();
    expect(await seenWith(bench, 'k')).toEqual(['agent-1']);
    expect(await seenWith(bench, 'other')).toEqual(['agent-2']);
    expect(await seenWith(bench, 'made-up')).toBe(401);
    expect(await seenWith(bench, 'toString')).toBe(401);
    expect((await bench.get('/v2/deployments')).status).toBe(403);
  });

  it('creates deployments there, regardless of names in other tenants', async () => {
    const bench = shared();
    const answer = await bench.send('POST', '/v2/deployments', NEW, { 'x-key': 'other' });
    expect(answer).toMatchObject({ status: 201, json: { tenant_id: THEIRS } });
    expect((await bench.send('POST', '/v2/deployments', NEW, { 'x-key': 'other' })).status).toBe(409);
  });

  it.each([
    [THEIRS, ['agent-2']],
    [NOBODYS, []],
  ])('may mean another tenant from a request on: %s', async (tenant, seen) => {
    const bench = shared();
    bench.service.actions.add({
      match: { operation: 'list', nth: 2 },
      action: { kind: 'switch', semantics: { auth: belonging(tenant) }, seconds: 60 },
    });
    expect(await seenWith(bench, 'k')).toEqual(['agent-1']);
    expect(await seenWith(bench, 'k')).toEqual(seen);
    await bench.clock.advance(60_000);
    expect(await seenWith(bench, 'k')).toEqual(['agent-1']);
  });

  it('is in a seed with tenant ids', () => {
    expect(readSeed({ auth: belonging(THEIRS) }).semantics.auth).toEqual(belonging(THEIRS));
    expect(() => readSeed({ auth: belonging('them') })).toThrow('auth.tenants.k: is not a UUID');
  });
});
