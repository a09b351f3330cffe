import { describe } from 'vitest';
import { attackTest } from '../support/attack/attack.ts';
import { deploymentObject } from '../support/attack/objects.ts';
import { hostileService } from '../support/attack/hostile-service.ts';

/** A value that a search with backtracking divides in seven ways for each piece of the text below. */
const VALUE = `${String.raw`\"`.repeat(12)}X`;
const TEXT = `${`${'\\'.repeat(9)}"`.repeat(12)}Y`;

describe('a secret that is slow to look for', () => {
  attackTest({
    name: 'is a header, and every answer of the service comes close to its spellings',
    attacker: 'connection author',
    async strike({ attacker }) {
      const service = await hostileService(() => ({ status: 500, json: { detail: TEXT } }));
      await service.connect(attacker, { headers: { 'X-Api-Key': VALUE } });
      await service.met('GET');
    },
  });

  attackTest({
    name: 'is sent by a PATCH whose refusal comes close to its spellings',
    attacker: 'connection author',
    async strike({ attacker }) {
      const msg = `Value error, not a command: ${TEXT}`;
      const refusal = { detail: [{ loc: ['body', 'secrets'], msg, type: 'value_error' }] };
      const service = await hostileService(
        ({ method }) => (method === 'PATCH' ? { status: 422, json: refusal } : 'honest'),
        [{ name: 'victim' }],
      );
      await service.connect(attacker);
      await attacker.create(
        deploymentObject('victim', { secretsOwnership: 'Exclusive', secrets: [{ name: 'A', value: VALUE }] }),
      );
      await service.met('PATCH');
    },
  });

  attackTest({
    name: 'is 900 KB long, and so is the text that may hold it',
    attacker: 'connection author',
    async strike({ attacker }) {
      const value = Array.from({ length: 9_000 }, (_, i) => `line ${i} `.padEnd(100, '\\"')).join('');
      const service = await hostileService(
        ({ method }) => (method === 'PATCH' ? { status: 400, json: { detail: value } } : 'honest'),
        [{ name: 'victim' }],
      );
      await service.connect(attacker);
      const data = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'long' }, stringData: { value } };
      await attacker.create(data);
      const valueFrom = { secretKeyRef: { name: 'long', key: 'value' } };
      await attacker.create(
        deploymentObject('victim', { secretsOwnership: 'Exclusive', secrets: [{ name: 'A', valueFrom }] }),
      );
      await service.met('PATCH');
    },
  });
});
