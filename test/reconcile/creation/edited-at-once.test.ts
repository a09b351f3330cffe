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

describe('a creation that the service accepts without showing the deployment (204)', () => {
  for (const [what, switches] of [
    ['shows branches as commits', { normalise: ['ref-to-sha'] }],
    ['hides source_config in lists', { listShape: ['empty-source-config'] }],
  ] as const)
    for (const trigger of ['on-change', 'on-presence'] as const)
      scenario(
        `is not sent again, if the service ${what} (${trigger})`,
        { deployments: [], semantics: { patchEcho: 'empty-204', trigger, ...switches } },
        async (w) => {
          w.apply(wants(0));
          await w.pass(600);
          expect(w.bodies()).toEqual([]);
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );

  scenario(
    'is no proof of a deployment that another client made under the name',
    { deployments: [], semantics: { patchEcho: 'empty-204', listShape: ['no-commands'], appearsSeconds: 1 } },
    async (w) => {
      const spec = wants(0);
      w.apply({ ...spec, sourceConfig: { ...spec.sourceConfig, installCommand: 'npm ci' } });
      await w.pass(1);
      w.editAtService('source_config.custom_url', 'https://theirs.example.com');
      w.editAtService('source_config.install_command', 'theirs');
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ install_command: 'npm ci' });
    },
  );
});
