import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const NAMES = ['a', 'b', 'c', 'd', 'e'];

function put(w: World, name: string, round: string): void {
  w.putSecret(`secret-${name}`, { key: `${round}-value-of-${name}` });
}

async function managed(w: World): Promise<void> {
  for (const name of NAMES) put(w, name, 'first');
  w.apply({
    secretsOwnership: 'Exclusive',
    secrets: NAMES.map((name) => ({
      name: name.toUpperCase(),
      valueFrom: { secretKeyRef: { name: `secret-${name}`, key: 'key' } },
    })),
  });
  await w.pass(90);
}

describe('five Secrets that rotate within ten seconds', () => {
  scenario(
    'by deletion and re-creation are sent in one write (H12)',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      await managed(w);
      for (const name of NAMES) {
        w.removeSecret(`secret-${name}`);
        await w.pass(0.5);
        put(w, name, 'second');
        await w.pass(1);
      }
      await w.pass(90);
      expect(w.patches()).toHaveLength(2);
      expect(w.revisionsMade()).toBe(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'do not wait if one was missing for a while (H19)',
    { deployments: [{ name: AGENT }, SEEN] },
    async (w) => {
      await managed(w);
      w.removeSecret('secret-a');
      await w.pass(30);
      put(w, 'a', 'second');
      await w.pass(1);
      expect(w.patches()).toHaveLength(2);
      await w.pass(60);
    },
  );
});
