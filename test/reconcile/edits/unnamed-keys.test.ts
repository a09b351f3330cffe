import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { listsShow } from '../support/shaped-answers.ts';
import { AGENT } from '../support/world.ts';

const TOKEN = 'a-token-that-nobody-named';
const LIVE = {
  name: AGENT,
  sourceConfig: { build_on_push: true, region: 'eu', hooks: [{ token: TOKEN }], none: null },
  revisionConfig: { image_uri: 'registry.example.com/agent:1', channel: 'stable' },
};
const spec = (buildOnPush: boolean) => ({ sourceConfig: { buildOnPush } });

describe('keys of a config object that the specification does not name', () => {
  for (const semantics of [
    { topLevelOmit: 'cleared' },
    { nested: { sourceConfig: 'replace', revisionConfig: 'replace' } },
  ] as const) {
    scenario(
      `are restored if a service empties them, and are sent from then on: ${JSON.stringify(semantics)} (C6)`,
      { deployments: [LIVE], semantics },
      async (w) => {
        w.secretTexts.add(TOKEN);
        w.apply(spec(true));
        await w.pass(100);
        w.apply(spec(false));
        await w.pass(300);
        expect(w.kept().content.sourceConfig).toMatchObject({ region: 'eu', hooks: [{ token: TOKEN }] });
        expect(w.kept().content.revisionConfig).toEqual(LIVE.revisionConfig);
        expect(w.connectionStatus().learned?.omittedFields?.verdict).toBe('Replace');
        const bodies = w.bodies().length;
        w.apply(spec(true));
        await w.pass(300);
        expect(w.bodies().slice(bodies)).toEqual([
          {
            source_config: { build_on_push: true, region: 'eu', hooks: [{ token: TOKEN }] },
            source_revision_config: LIVE.revisionConfig,
          },
        ]);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  scenario('are not sent if they are unchanged', { deployments: [LIVE] }, async (w) => {
    w.apply(spec(true));
    await w.pass(100);
    w.apply({ ...spec(false), sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    await w.pass(300);
    expect(w.bodies()).toEqual([
      {
        source_config: { build_on_push: false },
        source_revision_config: { image_uri: 'registry.example.com/agent:2' },
      },
    ]);
  });

  scenario(
    'wake no resource when they change, and do not delay the proof of a write',
    { deployments: [LIVE] },
    async (w) => {
      let looks = 0;
      listsShow(w, (shown) => {
        looks += 1;
        shown.source_config['last_seen'] = looks;
      });
      w.apply(spec(true));
      await w.pass(200);
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' }, ...spec(false) });
      await w.pass(45);
      expect(w.state()).toBe('True/InSync True/Active');
      await w.pass(100);
      const passes = w.metrics.sum('reconciled Deployment');
      await w.pass(400);
      expect(w.metrics.sum('reconciled Deployment') - passes).toBeLessThanOrEqual(1);
    },
  );

  scenario(
    'appear in no output, not even in the text of an error',
    { deployments: [LIVE], connection: { patch: { bodies: 'Full' } }, semantics: { errorEcho: true } },
    async (w) => {
      w.secretTexts.add(TOKEN);
      w.apply(spec(true));
      await w.pass(100);
      w.become({ fieldRules: { 'source_config.build_on_push': 'rejected' } });
      w.apply(spec(false));
      await w.pass(100);
      expect(w.condition('Synced')).toBe('False/Rejected');
      expect(JSON.stringify(w.status())).not.toContain(TOKEN);
    },
  );
});
