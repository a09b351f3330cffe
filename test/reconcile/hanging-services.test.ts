import { describe, expect } from 'vitest';
import { API_VERSION } from '../../src/api/metadata.ts';
import { NO_RATE_LIMIT } from '../support/in-process-exchange.ts';
import { scenario } from './support/scenario.ts';
import { NAMESPACE, type World } from './support/world.ts';

function addConnection(w: World, name: string): void {
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name, namespace: NAMESPACE },
    spec: { baseURL: 'https://dms.example.com/api', rateLimit: NO_RATE_LIMIT },
  });
}

function readyOf(w: World, name: string): string | undefined {
  const { status } = w.connections.peek({ kind: 'Connection', namespace: NAMESPACE, name }) ?? {};
  return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}

describe('services that hang', () => {
  scenario('do not delay the check of a connection to another one (H59)', {}, async (w) => {
    await w.pass(5);
    w.fault({ kind: 'hang' }, { match: { operation: 'list' }, times: 40 });
    for (let n = 0; n < 40; n += 1) addConnection(w, `hanging-${n}`);
    await w.pass(2);
    expect(w.service.log.count('list')).toBeGreaterThanOrEqual(40);
    addConnection(w, 'healthy');
    await w.pass(2);
    expect(readyOf(w, 'healthy')).toBe('Ok');
    await w.pass(600);
    expect(readyOf(w, 'hanging-39')).toBe('Ok');
  });
});
