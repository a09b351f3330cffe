import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const REPO = 'https://code.example.com/agent';

const wants = (n: number): Partial<DeploymentSpec> => ({
  source: 'codehost',
  creation: { policy: 'IfMissing' },
  sourceConfig: { repoURL: REPO, customURL: `https://a.example.com/${n}` },
  sourceRevisionConfig: { repoRef: 'main' },
});

/** Creates a deployment, and edits it before a list shows the creation. */
async function editsAfter(w: World, seconds: number): Promise<void> {
  w.apply(wants(0));
  await w.pass(seconds);
  w.apply(wants(1));
  await w.pass(600);
}

describe('an edit before a list shows the new deployment, on a service that empties what a request leaves out,', () => {
  for (const patchEcho of ['pre', 'partial', 'sent-only'] as const)
    scenario(
      `does not cost the branch of the creation (${patchEcho})`,
      { deployments: [], semantics: { topLevelOmit: 'cleared', patchEcho, appearsSeconds: 25 } },
      async (w) => {
        await editsAfter(w, 12);
        expect(w.kept(AGENT).content).toMatchObject({
          sourceConfig: { repo_url: REPO, custom_url: 'https://a.example.com/1' },
          revisionConfig: { repo_ref: 'main' },
        });
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );

  scenario(
    'does not cost what lists hide when the branch is restored',
    {
      deployments: [],
      semantics: {
        topLevelOmit: 'cleared',
        listShape: ['empty-source-config'],
        listLag: { seconds: 25 },
      },
    },
    async (w) => {
      await editsAfter(w, 25);
      expect(w.kept(AGENT).content).toMatchObject({
        sourceConfig: { repo_url: REPO, custom_url: 'https://a.example.com/1' },
        revisionConfig: { repo_ref: 'main' },
      });
      expect(w.events.reasons()).not.toContain('DriftDetected');
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});
