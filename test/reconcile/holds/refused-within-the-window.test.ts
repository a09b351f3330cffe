import { describe, expect } from 'vitest';
import { acceptedPatch } from '../../../src/model/recorded/accepted-patch.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const LIVE = {
  name: AGENT,
  sourceConfig: { install_command: 'npm ci', build_command: 'make', custom_url: 'https://agent.example.com' },
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
};
const LAGS = { listLag: { seconds: 20 } } as const;
const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });

/** Sends one write, replaces the process, and lets the next two be refused while lists lag behind the first write. */
async function refusedAfterWrite(w: World): Promise<void> {
  await w.pass(60);
  w.apply(image(2));
  await w.pass(1);
  w.restart();
  w.fault({ kind: 'status', status: 422 }, { times: 2 });
  w.apply(image(3));
  await w.pass(5);
  w.annotate('reconcile-at', 'now');
  await w.pass(5);
  expect(w.condition('Synced')).toBe('False/Rejected');
}

describe('a write that was accepted before a refusal', () => {
  scenario(
    'is still checked: the fields that it emptied are reported',
    {
      deployments: [LIVE],
      semantics: { ...LAGS, topLevelOmit: 'cleared', patchEcho: 'sent-only' },
    },
    async (w) => {
      await refusedAfterWrite(w);
      await w.pass(200);
      expect(w.kept().content.sourceConfig).toEqual({});
      expect(w.status().lost).toEqual(
        expect.arrayContaining(['sourceConfig.installCommand', 'sourceConfig.buildCommand']),
      );
    },
  );

  scenario(
    'is not drift while lists lag behind it: only the refused fields are sent again',
    { deployments: [LIVE], semantics: LAGS },
    async (w) => {
      await w.pass(60);
      w.apply({ sourceConfig: { customURL: 'https://other.example.com' } });
      await w.pass(5);
      w.restart();
      w.fault({ kind: 'status', status: 422 }, { times: 2 });
      w.apply({ sourceConfig: { customURL: 'https://other.example.com' }, ...image(2) });
      await w.pass(5);
      w.annotate('reconcile-at', 'now');
      await w.pass(5);
      const bodies = w.patches().slice(1);
      expect(bodies).toHaveLength(2);
      for (const { body } of bodies) expect(body).not.toContain('custom_url');
      await w.pass(2000);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'counts as accepted if the pass that proved it sent the refused repair',
    { deployments: [LIVE], semantics: { nested: { sourceConfig: 'replace' } } },
    async (w) => {
      await w.pass(60);
      w.fault({ kind: 'truncate' });
      w.apply({ sourceConfig: { buildCommand: 'make all' } });
      w.fault({ kind: 'status', status: 422 }, { match: { operation: 'patch', nth: 2 } });
      await w.pass(60);
      expect(w.patches()).toHaveLength(2);
      expect(w.status().lastPatch?.outcome).toBe('Refused');
      expect(acceptedPatch(w.status())).toMatchObject({
        outcome: 'Verified',
        paths: ['sourceConfig.buildCommand'],
        revisionID: w.kept().revisions.at(-1)?.id,
      });
    },
  );

  scenario('stays in the status through several refusals', { deployments: [LIVE] }, async (w) => {
    await refusedAfterWrite(w);
    expect(w.patches()).toHaveLength(3);
    expect(w.status().lastPatch?.outcome).toBe('Refused');
    expect(acceptedPatch(w.status())).toMatchObject({
      outcome: 'Applied',
      paths: ['sourceRevisionConfig.imageURI'],
      revisionID: w.kept().revisions.at(-1)?.id,
    });
    await w.pass(100);
  });
});
