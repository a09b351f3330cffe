import { describe } from 'vitest';
import { attackTest } from '../support/attack/attack.ts';
import type { Attacker } from '../support/attack/ground.ts';
import { hostileService } from '../support/attack/hostile-service.ts';
import { freshPage, GZIP, longText, manyLabels } from '../support/attack/large-answers.ts';
import { deploymentObject } from '../support/attack/objects.ts';

const MIB = 1024 * 1024;
const POLLED_EACH_SECOND = { poll: { intervalSeconds: 1 } };
const WIDE = { requestsPerSecond: 1_000, burst: 1_000, concurrency: 100 };

/** Made before the attack: it would hold up the process that watches. */
const LABELLED = [900_000, 240_000, 85_000].map(manyLabels);

/** Creates so many Connections to a service at once, `c-0` and so on, and further objects. */
async function connect(
  attacker: Attacker,
  count: number,
  spec: Readonly<Record<string, unknown>>,
  more: readonly object[] = [],
): Promise<void> {
  const connections = Array.from({ length: count }, (_, n) => ({
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Connection',
    metadata: { name: `c-${n}` },
    spec: { rateLimit: WIDE, ...spec },
  }));
  await attacker.create({ apiVersion: 'v1', kind: 'List', items: [...connections, ...more] });
}

describe('a service whose answers are large', () => {
  attackTest({
    name: 'lists new deployments of 100 KB each for ever, through ten connections',
    attacker: 'connection author',
    async strike({ attacker }) {
      const service = await hostileService(() => (response) => {
        response.writeHead(200, GZIP);
        response.end(freshPage(100));
      });
      const bound = Array.from({ length: 10 }, (_, n) =>
        deploymentObject(`new-${n}`, { connectionRef: { kind: 'Connection', name: `c-${n}` } }),
      );
      await connect(attacker, 10, { baseURL: service.url, ...POLLED_EACH_SECOND }, bound);
      await service.met('GET');
    },
  });

  attackTest({
    name: 'is polled each second by ten connections, and lists one deployment with very many labels',
    attacker: 'connection author',
    async strike({ attacker }) {
      const service = await hostileService((_, number) => (response) => {
        response.writeHead(200, GZIP);
        response.end(LABELLED[number % LABELLED.length]);
      });
      const bound = deploymentObject('labelled', { connectionRef: { kind: 'Connection', name: 'c-0' } });
      await connect(attacker, 10, { baseURL: service.url, ...POLLED_EACH_SECOND }, [bound]);
      await service.met('GET');
    },
  });

  attackTest({
    name: 'sends 31 MiB, or a little less than is read, to each of a hundred connections',
    attacker: 'connection author',
    async strike({ attacker }) {
      const bodies = [31 * MIB, 15 * MIB, 7 * MIB].map(longText);
      const service = await hostileService((_, number) => (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(bodies[number % bodies.length]);
      });
      await connect(attacker, 100, { baseURL: service.url, ...POLLED_EACH_SECOND });
      await service.met('GET');
    },
  });

  attackTest({
    name: 'begins large answers to a hundred connections and then sends a byte a second',
    attacker: 'connection author',
    async strike({ attacker }) {
      // A client that asks for fewer items after an answer that is too long gets one of just the permitted length.
      const [most, short] = [31 * MIB, 7 * MIB].map((bytes) => longText(bytes).subarray(0, bytes));
      const service = await hostileService(({ url }) => (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(url.includes('limit=100') ? most : short);
        const dripping = setInterval(() => response.write('x'), 1_000);
        response.once('close', () => clearInterval(dripping));
      });
      await connect(attacker, 100, { baseURL: service.url, requestTimeoutSeconds: 3600 });
      await service.met('GET');
    },
  });
});
