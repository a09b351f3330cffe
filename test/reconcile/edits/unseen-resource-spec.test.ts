import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const HIDDEN = { fieldRules: { 'source_config.resource_spec': 'hidden' } } as const;
const LIVE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://by-hand.example.com', resource_spec: { cpu: 1, memory_mb: 512 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const BARE = { ...LIVE, sourceConfig: { custom_url: 'https://by-hand.example.com' } };
const cpu = (n: number) => ({ sourceConfig: { resourceSpec: { cpu: n } } });
const image = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } };
const spec = (w: World): unknown => w.kept().content.sourceConfig['resource_spec'];

describe('a resource spec that the service does not show', () => {
  scenario(
    'is not overwritten by a part of it; other blocks continue, and patch.bodies is the way out (N4, N31)',
    { deployments: [LIVE], semantics: HIDDEN },
    async (w) => {
      w.apply({ ...cpu(2), ...image });
      await w.pass(120);
      expect(spec(w)).toEqual({ cpu: 1, memory_mb: 512 });
      expect(w.bodies()).toEqual([{ source_revision_config: { image_uri: 'registry.example.com/agent:2' } }]);
      expect(w.state()).toBe('False/SemanticsMismatch False/SemanticsMismatch');
      expect(w.message()).toContain('patch.bodies');
      w.connect({ patch: { bodies: 'Partial' } });
      await w.pass(120);
      expect(spec(w)).toEqual({ cpu: 2 });
      expect(w.state()).toBe('True/InSync True/Active');
      w.connect();
      w.apply({ ...cpu(3), ...image });
      await w.pass(120);
      expect(spec(w), 'what we sent whole is ours to send').toEqual({ cpu: 3 });
    },
  );

  scenario(
    'is empty if the service shows null',
    { deployments: [BARE], semantics: { unset: 'null' } },
    async (w) => {
      w.apply(cpu(2));
      await w.pass(120);
      expect(spec(w)).toEqual({ cpu: 2 });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is empty if the service shows those of other deployments',
    { deployments: [BARE, { ...LIVE, name: 'another' }] },
    async (w) => {
      w.apply(cpu(2));
      await w.pass(120);
      expect(spec(w)).toEqual({ cpu: 2 });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('is empty if we created the deployment', { deployments: [], semantics: HIDDEN }, async (w) => {
    const made = {
      creation: { policy: 'IfMissing' },
      sourceConfig: { customURL: 'https://a.example.com' },
    } as const;
    w.apply(made);
    await w.pass(120);
    w.apply({ ...made, sourceConfig: { ...made.sourceConfig, resourceSpec: { cpu: 2 } } });
    await w.pass(120);
    expect(spec(w)).toEqual({ cpu: 2 });
  });

  for (const listShape of ['empty-source-config', 'resource-spec-null'] as const) {
    scenario(
      `is not overwritten by a part of it where lists show ${listShape} and an answer showed the rest`,
      { deployments: [LIVE], semantics: { listShape: [listShape] } },
      async (w) => {
        w.apply({ ...image });
        await w.pass(120);
        w.apply({ ...image, ...cpu(2) });
        await w.pass(120);
        expect(spec(w)).toEqual({ cpu: 1, memory_mb: 512 });
        expect(w.state()).toBe('False/SemanticsMismatch False/SemanticsMismatch');
        expect(w.connectionStatus().learned?.resourceSpecs?.verdict).toBe('Hidden');
        w.kill();
        w.start();
        await w.pass(120);
        expect(spec(w), 'a new process remembers').toEqual({ cpu: 1, memory_mb: 512 });
        w.become({ listShape: [] });
        await w.pass(180);
        expect(spec(w), 'a list shows the rest').toEqual({ cpu: 2, memory_mb: 512 });
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario(
    'is empty where somebody has removed it since, as lists always showed it',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...image });
      await w.pass(120);
      w.editAtService('source_config.resource_spec', null);
      await w.pass(120);
      w.apply({ ...image, ...cpu(2) });
      await w.pass(120);
      expect(spec(w)).toEqual({ cpu: 2 });
    },
  );
});
