import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const OTHER = {
  name: 'other',
  source: 'codehost',
  sourceConfig: {
    repo_url: 'https://code.example.com/other',
    resource_spec: { cpu: 4, memory_mb: 8192 },
  },
  revisionConfig: { repo_ref: 'main' },
  secrets: [{ name: 'THEIRS', value: 'value-of-somebody-else' }],
} as const;
const OURS = {
  source: 'codehost',
  sourceConfig: { repoURL: 'https://code.example.com/ours' },
  sourceRevisionConfig: { repoRef: 'main' },
} as const;

/** Creates a deployment, lets another client delete it, and declares the id of another deployment instead. */
async function createsAndMovesOn(w: World, spec: object, restarts = false): Promise<void> {
  w.apply({ ...OURS, ...spec, creation: { policy: 'IfMissing' } });
  await w.pass(200);
  w.service.act({ kind: 'delete', deployment: AGENT });
  await w.pass(300);
  expect(w.condition('Synced')).toBe('False/NotFound');
  w.apply({ ...OURS, ...spec, deploymentRef: { id: w.kept('other').id } });
  if (restarts) w.restart();
  await w.pass(500);
}

describe('a new id in the spec after our own deployment is gone (H26)', () => {
  for (const restarts of [false, true]) {
    const by = restarts ? ', by a new process' : '';
    scenario(
      `does not make hidden secrets of the other deployment ours${by}`,
      { deployments: [OTHER], semantics: { secretsEcho: 'omitted' } },
      async (w) => {
        await createsAndMovesOn(w, { secrets: [{ name: 'OURS', value: 'value-of-ours' }] }, restarts);
        expect(w.kept('other').content.secrets).toEqual(OTHER.secrets);
        expect(w.condition('Synced')).toBe('False/SecretVisibilityUnproven');
      },
    );

    scenario(
      `does not make the hidden resource spec of the other deployment ours${by}`,
      { deployments: [OTHER], semantics: { listShape: ['no-resource-spec'] } },
      async (w) => {
        const sourceConfig = { ...OURS.sourceConfig, resourceSpec: { cpu: 2 } };
        await createsAndMovesOn(w, { sourceConfig }, restarts);
        expect(w.kept('other').content.sourceConfig['resource_spec']).toEqual(
          OTHER.sourceConfig.resource_spec,
        );
        expect(w.condition('Synced')).toBe('False/SemanticsMismatch');
      },
    );
  }

  for (const driftPolicy of ['Report', 'Correct'] as const)
    scenario(
      `ends the announcement of a write to the old deployment (${driftPolicy})`,
      {
        deployments: [
          { ...OTHER, name: AGENT },
          { ...OTHER, sourceConfig: { ...OTHER.sourceConfig, custom_url: 'https://url.example.com' } },
        ],
      },
      async (w) => {
        const spec = {
          ...OURS,
          driftPolicy,
          sourceConfig: { repoURL: OTHER.sourceConfig.repo_url, customURL: 'https://url.example.com' },
        } as const;
        w.fault({ kind: 'hang' }, { match: { operation: 'patch' } });
        w.apply({ ...spec, deploymentRef: { id: w.kept().id } });
        await w.pass(5);
        w.service.act({ kind: 'delete', deployment: AGENT });
        await w.pass(300);
        expect(w.status().pendingWrite).toBeDefined();
        w.apply({ ...spec, deploymentRef: { id: w.kept('other').id } });
        await w.pass(100);
        expect(w.condition('Synced')).toBe('True/InSync');
        expect(w.status().pendingWrite).toBeUndefined();
        w.editAtService('source_config.custom_url', 'https://theirs.example.com', 'other');
        await w.pass(300);
        const [value, synced] =
          driftPolicy === 'Report'
            ? ['https://theirs.example.com', 'False/DriftReported']
            : ['https://url.example.com', 'True/InSync'];
        expect(w.kept('other').content.sourceConfig['custom_url']).toBe(value);
        expect(w.condition('Synced')).toBe(synced);
        expect(w.events.reasons()).toContain('DriftDetected');
      },
    );
});
