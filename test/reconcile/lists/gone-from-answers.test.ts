import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const HIDING = { patchEcho: 'pre', topLevelOmit: 'cleared', listShape: ['empty-source-config'] } as const;
const LIVE = {
  name: AGENT,
  sourceConfig: { custom_url: 'https://by-hand.example.com', resource_spec: { cpu: 1 } },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const image = (n: number) => ({ imageURI: `registry.example.com/agent:${n}` });

describe('values that lists hide, that one answer shows and that the next answer lacks', () => {
  scenario('are named as gone', { deployments: [LIVE], semantics: HIDING }, async (w) => {
    w.apply({ sourceRevisionConfig: image(2) });
    await w.pass(120);
    expect(w.status().lost, 'the first answer shows the state before the write').toBeUndefined();
    w.apply({ sourceRevisionConfig: image(3) });
    await w.pass(120);
    expect(w.status().lost).toEqual(['sourceConfig.customURL', 'sourceConfig.resourceSpec.cpu']);
    expect(w.message()).toContain('gone after a write and not put back: sourceConfig.customURL');
    expect(w.patches(), 'somebody else may have removed them').toHaveLength(2);
  });

  scenario(
    'are not named if the answer shows only what was sent',
    { deployments: [LIVE], semantics: { patchEcho: 'post', listShape: ['empty-source-config'] } },
    async (w) => {
      w.apply({ sourceRevisionConfig: image(2) });
      await w.pass(120);
      w.become({ patchEcho: 'sent-only' });
      w.apply({ sourceRevisionConfig: image(3) });
      await w.pass(120);
      expect(w.status().lost).toBeUndefined();
    },
  );

  scenario(
    'are not named if we emptied them',
    { deployments: [LIVE], semantics: { patchEcho: 'post', listShape: ['empty-source-config'] } },
    async (w) => {
      const declared = { sourceConfig: { customURL: 'https://ours.example.com/' } };
      w.apply({ ...declared, sourceRevisionConfig: image(2) });
      await w.pass(120);
      w.apply({ ...declared, sourceRevisionConfig: image(3) });
      await w.pass(120);
      w.apply({ clear: ['sourceConfig.customURL'], sourceRevisionConfig: image(3) });
      await w.pass(120);
      w.apply({ clear: ['sourceConfig.customURL'], sourceRevisionConfig: image(4) });
      await w.pass(120);
      expect(w.kept().content.sourceConfig).toEqual({ resource_spec: { cpu: 1 } });
      expect(w.status().lost).toBeUndefined();
    },
  );
});
