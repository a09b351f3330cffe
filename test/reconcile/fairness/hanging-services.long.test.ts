import { describe, expect } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { scenario } from '../support/scenario.ts';
import { NAMESPACE, type World } from '../support/world.ts';

function addConnection(w: World, name: string, namespace = NAMESPACE): void {
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name, namespace },
    spec: { baseURL: 'https://dms.example.com/api', rateLimit: NO_RATE_LIMIT },
  });
}

function readyOf(w: World, name: string, namespace = NAMESPACE): string | undefined {
  const { status } = w.connections.peek({ kind: 'Connection', namespace, name }) ?? {};
  return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}

describe('hanging services', () => {
  scenario('do not delay the check of a connection in another namespace (H59)', {}, async (w) => {
    await w.pass(5);
    w.fault({ kind: 'hang' }, { match: { operation: 'list' }, times: 16 });
    for (let n = 0; n < 40; n += 1) addConnection(w, `hanging-${n}`, 'team-h');
    await w.pass(2);
    expect(w.service.log.count('list')).toBeGreaterThanOrEqual(16);
    addConnection(w, 'healthy');
    await w.pass(2);
    expect(readyOf(w, 'healthy')).toBe('Ok');
    await w.pass(600);
    expect(readyOf(w, 'hanging-39', 'team-h')).toBe('Ok');
  });
});

describe('deployments of a connection', () => {
  const image = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
  const SLOW = Array.from({ length: 30 }, (_, n) => `slow-${n}`);
  const GIVEN = { deployments: [...SLOW, 'healthy'].map((name) => ({ name })) };

  for (const [what, fault] of [
    ['whose service hangs on every PATCH', { kind: 'hang' }],
    ['whose gate a 429 has closed', { kind: 'status', status: 429, headers: { 'Retry-After': '300' } }],
  ] as const) {
    scenario(`${what} do not delay those of another one (H59)`, GIVEN, async (w) => {
      addConnection(w, 'slow');
      await w.pass(5);
      w.fault(fault, { times: SLOW.length });
      for (const name of SLOW)
        w.apply({ ...image, connectionRef: { kind: 'Connection', name: 'slow' } }, name);
      await w.pass(5);
      const before = w.patches().length;
      expect(before).toBeGreaterThan(0);
      w.service.faults.clear();
      w.apply(image, 'healthy');
      await w.pass(2);
      const { id } = w.kept('healthy');
      expect(
        w
          .patches()
          .slice(before)
          .map((patch) => patch.id),
      ).toEqual([id]);
      await w.pass(900);
      for (const name of SLOW) expect(w.state(name)).toBe('True/InSync True/Active');
    });
  }
});
