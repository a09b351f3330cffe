import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const URL = 'source_config.custom_url';
const DECLARED = { sourceConfig: { customURL: 'https://a.example.com' } };
const EDITED = { sourceConfig: { customURL: 'https://edited.example.com' } };
const LIVE = { name: AGENT, sourceConfig: { custom_url: 'https://a.example.com' } };
const corrected = { source_config: { custom_url: 'https://a.example.com' } };
const asEdited = { source_config: { custom_url: 'https://edited.example.com' } };

/** Brings a resource in sync, whose deployment another client then changes. No read has shown that change yet. */
async function driftingWorld(w: World): Promise<void> {
  w.apply(DECLARED);
  await w.pass(30);
  expect(w.condition('Synced')).toBe('True/InSync');
  w.editAtService(URL, 'https://theirs.example.com');
}

describe('a correction of drift with an edit in between', () => {
  scenario('before its permit is replaced by the edit: one PATCH', { deployments: [LIVE] }, async (w) => {
    await driftingWorld(w);
    // One call a minute: the sweep takes the permit, and the correction waits for the next permit.
    w.connect({ rateLimit: { requestsPerSecond: 1 / 60, burst: 1, concurrency: 4 } });
    await w.pass(75);
    expect(w.bodies(), 'the correction waits').toEqual([]);
    const before = w.statusWrites.length;
    w.apply(EDITED);
    await w.pass(1);
    expect(w.statusWrites.slice(before).map(({ after }) => after.pendingWrite)).toEqual([]);
    w.connect();
    await w.pass(60);
    expect(w.bodies()).toEqual([asEdited]);
    expect(w.condition('Synced')).toBe('True/InSync');
  });

  scenario('while it is in flight completes, and the edit follows', { deployments: [LIVE] }, async (w) => {
    await driftingWorld(w);
    w.moments.leaving = ({ operation }) => {
      if (operation !== 'patch') return;
      w.disarm();
      w.apply(EDITED);
    };
    await w.pass(150);
    expect(w.patches().map(({ delivery }) => delivery)).toEqual(['whole', 'whole']);
    expect(w.bodies()).toEqual([corrected, asEdited]);
    expect(w.condition('Synced')).toBe('True/InSync');
  });
});
