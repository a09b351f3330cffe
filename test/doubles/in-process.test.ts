import { describe, expect, it } from 'vitest';
import { inProcessFetch } from '../support/doubles/in-process.ts';
import type { Fault } from '../../src/simulator/faults/scenario.ts';
import { Bench, SEED } from '../simulator/support.ts';

const BASE = 'https://service.invalid/api';

describe('a simulated service in process', () => {
  const asked = (fault?: Fault) => {
    const bench = new Bench(SEED);
    if (fault !== undefined) bench.service.faults.add({ match: {}, fault });
    return { bench, fetch: inProcessFetch(bench.service, BASE) };
  };

  it('answers as over a network', async () => {
    const { bench, fetch } = asked();
    const answer = await fetch(`${BASE}/v2/deployments/${bench.id('agent')}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"source_config":{"custom_url":"x"}}',
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ source_config: { custom_url: 'x' } });
  });

  it('has its control endpoint too', async () => {
    const answer = await asked().fetch('https://service.invalid/_simulator/deployments');
    expect(await answer.json()).toHaveLength(2);
  });

  it('rejects with a code where the connection is cut', async () => {
    const failure: unknown = await asked({ kind: 'reset-before' })
      .fetch(`${BASE}/v2/deployments`)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
  });

  it('fails while a cut body is read, and reads a truncated one without an error', async () => {
    const cut = await asked({ kind: 'reset-mid-body' }).fetch(`${BASE}/v2/deployments`);
    await expect(cut.text()).rejects.toThrow('terminated');
    const short = await (await asked({ kind: 'truncate' }).fetch(`${BASE}/v2/deployments`)).text();
    expect(() => JSON.parse(short) as unknown).toThrow();
  });

  it('waits for the signal where the service hangs, and while it is slow', async () => {
    for (const fault of [{ kind: 'hang' }, { kind: 'delay', ms: 1_000 }] as const) {
      const stop = new AbortController();
      const answer = asked(fault).fetch(`${BASE}/v2/deployments`, { signal: stop.signal });
      stop.abort(new Error('enough'));
      await expect(answer).rejects.toThrow('enough');
    }
  });

  it('does not begin what is aborted already', async () => {
    const { bench, fetch } = asked();
    await expect(
      fetch(`${BASE}/v2/deployments`, { signal: AbortSignal.abort(new Error('too late')) }),
    ).rejects.toThrow('too late');
    expect(bench.service.log.requests()).toEqual([]);
  });
});
