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

/** Kills the process when its next PATCH reaches the service, before the answer. */
function killAtNextPatch(w: World): void {
  w.moments.arriving = ({ operation }) => {
    if (operation !== 'patch') return;
    w.disarm();
    w.kill();
  };
}

/** Lets one process send the secrets and die, and the next one read them. */
async function provenByAnother(w: World): Promise<void> {
  killAtNextPatch(w);
  w.apply(spec(1));
  await w.pass(30);
  w.start();
  await w.pass(180);
}

const withSecrets = (body: unknown): boolean => isRecord(body) && 'secrets' in body;

describe('secrets of a write without an answer, shown in plain text', () => {
  scenario(
    'are proven by a read, and stay so when another announcement replaces theirs',
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

  scenario(
    'teach the next process that lists show values, so that an edit after another restart is drift',
    { deployments: [{ name: AGENT }] },
    async (w) => {
      await provenByAnother(w);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Plain');
      w.kill();
      w.start();
      await w.pass(30);
      w.editAtService('secrets.API_TOKEN', 'set-by-somebody-else');
      await w.pass(300);
      expect(w.kept().content.secrets).toEqual(spec(1).secrets);
      expect(w.condition('Synced')).toBe('True/InSync');
    },
  );

  scenario(
    'teach nothing where lists show masks',
    { deployments: [{ name: AGENT }], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      await provenByAnother(w);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).not.toBe('Plain');
    },
  );
});
