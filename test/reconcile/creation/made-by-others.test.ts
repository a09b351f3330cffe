import { describe, expect } from 'vitest';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const IMAGE = 'registry.example.com/agent:1';
const SECRETS = [{ name: 'THEIRS', value: 'value-of-somebody-else' }];
const THEIRS = {
  sourceConfig: { custom_url: 'https://theirs.example.com', resource_spec: { cpu: 1, memory_mb: 512 } },
  revisionConfig: { image_uri: IMAGE },
  secrets: SECRETS,
};
const HIDING = {
  fieldRules: { 'source_config.resource_spec': 'hidden' },
  listShape: ['no-secrets'],
  secretsEcho: 'omitted',
} as const;
const SPEC = {
  source: 'internal_container',
  creation: { policy: 'IfMissing' },
  sourceRevisionConfig: { imageURI: IMAGE },
} as const;
const WITH_SECRETS = { ...SPEC, secrets: [{ name: 'OURS', value: 'value-of-ours-0123' }] };
const WITH_SPEC = { ...SPEC, sourceConfig: { resourceSpec: { cpu: 2 } } };

/** Asks for a creation that never arrives. */
async function asksInVain(w: World, spec: Parameters<World['apply']>[0]): Promise<void> {
  w.fault({ kind: 'reset-before' }, { match: { operation: 'create' } });
  w.apply(spec);
  while (w.service.log.count('create') === 0) await w.pass(1);
}

function expectUntouched(w: World, name: string): void {
  expect(w.kept(name).content).toMatchObject(THEIRS);
  expect(w.condition('Synced')).toMatch(/^False\/(SecretVisibilityUnproven|SemanticsMismatch)$/);
}

for (const [what, spec] of [
  ['secrets', WITH_SECRETS],
  ['a resource spec', WITH_SPEC],
] as const)
  describe(`a deployment whose ${what} lists hide, after a creation that never arrived,`, () => {
    const other = { ...THEIRS, name: 'other', source: 'internal_container' };

    scenario(
      'is not ours if the spec names it later',
      { deployments: [other], semantics: HIDING },
      async (w) => {
        await asksInVain(w, spec);
        w.apply({ ...spec, deploymentRef: { name: 'other' } });
        await w.pass(300);
        expectUntouched(w, 'other');
      },
    );

    scenario(
      'is not ours if somebody else gives it the name and another image',
      { deployments: [], semantics: HIDING },
      async (w) => {
        await asksInVain(w, spec);
        const theirs = { ...THEIRS, revisionConfig: { image_uri: 'registry.example.com/agent:theirs' } };
        w.service.act({
          kind: 'add',
          seed: deploymentSeed(AGENT, { ...theirs, source: 'internal_container' }),
        });
        await w.pass(300);
        expect(w.kept(AGENT).content).toMatchObject({ sourceConfig: THEIRS.sourceConfig, secrets: SECRETS });
        expect(w.condition('Synced')).toMatch(/^False\/(SecretVisibilityUnproven|SemanticsMismatch)$/);
      },
    );
  });

scenario(
  'a deployment that appears after a creation without an answer, as the creation asked for it, is ours',
  { deployments: [], semantics: HIDING },
  async (w) => {
    w.fault({ kind: 'apply-then-fail', how: 504 }, { match: { operation: 'create' } });
    w.apply(SPEC);
    await w.pass(120);
    w.apply(WITH_SECRETS);
    await w.pass(120);
    expect(w.kept().content.secrets).toEqual(WITH_SECRETS.secrets);
  },
);

scenario(
  'a deployment that the service created and changed without showing it in an answer is ours',
  { deployments: [], semantics: { ...HIDING, patchEcho: 'empty-204', appearsSeconds: 10 } },
  async (w) => {
    w.apply(SPEC);
    await w.pass(2);
    w.apply({ ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    await w.pass(200);
    expect(w.patches()).toHaveLength(1);
    w.apply({ ...WITH_SECRETS, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    await w.pass(200);
    expect(w.kept().content.secrets).toEqual(WITH_SECRETS.secrets);
  },
);
