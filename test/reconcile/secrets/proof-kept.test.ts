import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { isRecord } from '../../../src/api/problem.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const spec = (tag: number): Partial<DeploymentSpec> => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
  secretsOwnership: 'Exclusive',
  secrets: [{ name: 'API_TOKEN', value: 'a-token-that-is-told-once' }],
});

/** The process dies with its next PATCH at the service, before it hears of it. */
function killAtNextPatch(w: World): void {
  w.moments.arriving = ({ operation }) => {
    if (operation !== 'patch') return;
    w.disarm();
    w.kill();
  };
}

const withSecrets = (body: unknown): boolean => isRecord(body) && 'secrets' in body;

describe('secrets of a write whose answer nobody heard, shown as they are', () => {
  scenario(
    'are proven by a read, and stay so when the announcement of another write takes the place of theirs',
    { deployments: [{ name: AGENT }] },
    async (w) => {
      killAtNextPatch(w);
      w.apply(spec(1));
      await w.pass(30);
      expect(w.bodies().map(withSecrets)).toEqual([true]);
      w.apply(spec(2));
      killAtNextPatch(w);
      w.start();
      await w.pass(120);
      expect(w.bodies().map(withSecrets), 'they were there').toEqual([true, false]);
      w.apply(spec(3));
      w.start();
      await w.pass(180);
      expect(w.bodies().map(withSecrets)).toEqual([true, false, false]);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );
});
