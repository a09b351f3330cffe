import { describe, expect } from 'vitest';
import { attackTest } from '../support/attack/attack.ts';
import type { Attacker } from '../support/attack/ground.ts';
import { hostileService } from '../support/attack/hostile-service.ts';
import { deploymentObject } from '../support/attack/objects.ts';

const MEBIBYTE = 1024 * 1024;

/** As large as the API server takes a Secret. */
async function largeSecret(attacker: Attacker, name: string, unit = 'x'): Promise<void> {
  const large = Buffer.from(unit.repeat(MEBIBYTE - 1_000));
  const data = { large: large.toString('base64'), small: 'c21hbGw=' };
  await attacker.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data });
}

const from = (name: string, key: string): object => ({ secretKeyRef: { name, key } });
const times = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => at);

async function synced({ kubectl }: Attacker, name: string): Promise<string> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Synced")].message}';
  return (await kubectl(['get', 'dmsd', name, '-o', path])).stdout;
}

describe('secrets that fill the memory', () => {
  attackTest({
    name: 'are one value of a mebibyte under 256 names',
    attacker: 'connection author',
    async strike({ attacker }) {
      const service = await hostileService(() => 'honest', [{ name: 'victim' }]);
      await service.connect(attacker);
      await largeSecret(attacker, 'large');
      const secrets = times(256).map((n) => ({ name: `S${n}`, valueFrom: from('large', 'large') }));
      await attacker.create(deploymentObject('victim', { secretsOwnership: 'Exclusive', secrets }));
    },
    async after({ attacker }) {
      await expect
        .poll(() => synced(attacker, 'victim'), { timeout: 20_000 })
        .toMatch(/^spec\.secrets and spec\.secretsFrom give more than 1,024 KiB/);
    },
  });

  attackTest({
    name: 'stand beside small ones in many Secrets',
    attacker: 'connection author',
    async strike({ attacker }, force) {
      const victims = times(force === 'full' ? 9 : 3).map((n) => `victim-${n}`);
      const service = await hostileService(
        () => 'honest',
        victims.map((name) => ({ name })),
      );
      await service.connect(attacker);
      const names = times(force === 'full' ? 128 : 16).map((n) => `large-${n}`);
      for (const name of names) await largeSecret(attacker, name);
      const secrets = names.map((name, n) => ({ name: `S${n}`, valueFrom: from(name, 'small') }));
      for (const name of victims)
        await attacker.create(deploymentObject(name, { secretsOwnership: 'Exclusive', secrets }));
      await service.met('PATCH');
    },
  });

  attackTest({
    name: 'are sent for many resources at once to a service that does not answer',
    attacker: 'connection author',
    async strike({ attacker }, force) {
      const victims = times(force === 'full' ? 60 : 20).map((n) => `victim-${n}`);
      const service = await hostileService(
        ({ method }) => (method === 'PATCH' ? () => {} : 'honest'),
        victims.map((name) => ({ name })),
      );
      const rateLimit = { requestsPerSecond: 100, burst: 100, concurrency: 100 };
      await service.connect(attacker, { spec: { rateLimit } });
      // Each of its characters takes six in JSON.
      await largeSecret(attacker, 'large', '\u0001');
      const secrets = [{ name: 'S', valueFrom: from('large', 'large') }];
      for (const name of victims)
        await attacker.create(deploymentObject(name, { secretsOwnership: 'Exclusive', secrets }));
      await service.met('PATCH');
    },
  });
});
