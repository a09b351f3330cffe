import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const image = (tag: number) => ({
  approval: 'Manual' as const,
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

function approve(w: World): void {
  const hash = w.status().plan?.hash;
  expect(hash).toBeDefined();
  w.annotate('approve', hash ?? '');
}

/** Approves and sends one change, and leaves another one waiting. */
async function waitingForApproval(w: World): Promise<void> {
  w.apply(image(2));
  await w.pass(30);
  approve(w);
  await w.pass(60);
  expect(w.state()).toBe('True/InSync True/Active');
  w.apply(image(3));
  await w.pass(30);
  expect(w.condition('Synced')).toBe('False/AwaitingApproval');
}

describe('C8: an approved change that the service refuses temporarily', () => {
  for (const [title, fault] of [
    ['a pause (429)', { kind: 'status', status: 429, headers: { 'retry-after': '20' } }],
    ['a conflict (409)', { kind: 'status', status: 409 }],
  ] as const) {
    scenario(`with ${title} is made without another approval`, { deployments: [LIVE] }, async (w) => {
      await waitingForApproval(w);
      w.fault(fault, { times: 3 });
      approve(w);
      await w.pass(200);
      expect(w.patches().map(({ status }) => status)).toEqual([
        200,
        fault.status,
        fault.status,
        fault.status,
        200,
      ]);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }

  scenario('is made once: the same drift waits for a new approval', { deployments: [LIVE] }, async (w) => {
    await waitingForApproval(w);
    w.fault({ kind: 'status', status: 409 });
    approve(w);
    await w.pass(200);
    expect(w.state()).toBe('True/InSync True/Active');
    for (let n = 0; n < 2; n += 1) {
      const before = w.patches().length;
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:theirs');
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/AwaitingApproval');
      expect(w.patches()).toHaveLength(before);
      w.fault({ kind: 'status', status: 429, headers: { 'retry-after': '20' } });
      approve(w);
      await w.pass(200);
      expect(w.state()).toBe('True/InSync True/Active');
    }
  });

  scenario('needs a new approval after a permanent refusal', { deployments: [LIVE] }, async (w) => {
    await waitingForApproval(w);
    w.fault({ kind: 'status', status: 422 });
    approve(w);
    await w.pass(30);
    expect(w.condition('Synced')).toBe('False/Rejected');
    // Half an hour, and the ten percent by which resyncs vary.
    await w.pass(2100);
    expect(w.condition('Synced')).toBe('False/AwaitingApproval');
  });

  scenario('is also made if it is a deletion', { deployments: [LIVE] }, async (w) => {
    w.apply({ ...image(1), deletionPolicy: 'Delete' });
    await w.pass(60);
    w.store.remove(keyOf(AGENT));
    await w.pass(30);
    expect(w.condition('Synced')).toBe('False/AwaitingApproval');
    w.fault({ kind: 'status', status: 409 }, { match: { operation: 'delete' } });
    approve(w);
    await w.pass(200);
    expect(w.service.log.count('delete')).toBe(2);
    expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
  });
});
