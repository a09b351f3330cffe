import { describe } from 'vitest';
import { attackTest } from '../support/attack/attack.ts';
import { hostileService } from '../support/attack/hostile-service.ts';

describe('a namespace with 200 connections', () => {
  attackTest({
    name: 'to a server that begins its answers and never ends them',
    attacker: 'connection author',
    async strike({ attacker }, force) {
      const service = await hostileService(() => (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{');
      });
      const count = force === 'full' ? 200 : 100;
      const spec = { baseURL: service.url, requestTimeoutSeconds: 3600 };
      const items = Array.from({ length: count }, (_, n) => ({
        apiVersion: 'dms-operator.dev/v1alpha1',
        kind: 'Connection',
        metadata: { name: `hanging-${n}` },
        spec,
      }));
      await attacker.create({ apiVersion: 'v1', kind: 'List', items });
      await service.met('GET');
    },
  });
});
