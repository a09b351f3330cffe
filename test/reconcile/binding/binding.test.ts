import { describe, expect } from 'vitest';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const LIVE = { revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const ID = uuidFrom('the one meant');

describe('a resource binds', () => {
  scenario(
    'by exact name, and adopts without a write a deployment that already matches',
    { deployments: [{ name: `${AGENT}-2` }, { name: AGENT, ...LIVE }, { name: AGENT.toUpperCase() }] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status()).toMatchObject({ deploymentID: w.kept().id, name: AGENT });
      expect(w.events.reasons()).toEqual(['Ok', 'Adopted']);
      expect(w.bodies()).toEqual([]);
    },
  );

  scenario(
    'by a name that the last partial read did not need: one call reads the rest of the list',
    {
      deployments: [
        { name: AGENT, ...LIVE },
        { name: 'other-agent', ...LIVE },
      ],
    },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      const before = w.service.log.requests().length;
      w.apply({ ...IMAGE, deploymentRef: { name: 'other-agent' } }, 'later');
      await w.pass(5);
      expect(w.status('later')).toMatchObject({ deploymentID: w.kept('other-agent').id });
      expect(w.state('later')).toBe('True/InSync True/Active');
      expect(w.bodies()).toEqual([]);
      const since = w.service.log.requests().slice(before);
      expect(since.map(({ query }) => query)).toEqual([`deployment_ids=${w.kept('other-agent').id}&limit=1`]);
    },
  );

  scenario(
    'by the name in deploymentRef, not by its own name',
    { deployments: [{ name: AGENT }, { name: 'other-agent', ...LIVE }] },
    async (w) => {
      w.apply({ ...IMAGE, deploymentRef: { name: 'other-agent' } });
      await w.pass(5);
      expect(w.status().deploymentID).toBe(w.kept('other-agent').id);
      expect(w.bodies()).toEqual([]);
    },
  );

  scenario(
    'by id, regardless of letter case, where several deployments have the name',
    { deployments: [{ name: AGENT }, { name: AGENT, id: ID }, { name: AGENT }] },
    async (w) => {
      w.apply({ ...IMAGE, deploymentRef: { id: ID.toUpperCase() } });
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches().map(({ id }) => id)).toEqual([ID]);
    },
  );

  scenario(
    'to nothing where several deployments carry the exact name, until one of them is gone (H24)',
    { deployments: [{ name: AGENT, id: ID, ...LIVE }, { name: AGENT }] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(180);
      expect(w.state()).toBe('False/AmbiguousName False/AmbiguousName');
      expect(w.condition('Stalled')).toBe('True/AmbiguousName');
      expect(w.message()).toContain(ID);
      expect(w.status().deploymentID).toBeUndefined();
      const other = w.service.deployments().find(({ id }) => id !== ID);
      w.service.act({ kind: 'delete', deployment: other?.id ?? '' });
      await w.pass(700);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status().deploymentID).toBe(ID);
      expect(w.bodies()).toEqual([]);
    },
  );

  scenario(
    'to nothing where only longer names exist: NotFound after two complete passes (H24)',
    { deployments: [{ name: `${AGENT}-2` }, { name: `my-${AGENT}` }] },
    async (w) => {
      await w.pass(5);
      w.apply(IMAGE);
      await w.pass(5);
      expect(w.state()).toBe('False/NotFound False/NotFound');
      expect(w.service.log.count('list'), 'two complete passes of two pages').toBe(4);
      expect(w.bodies()).toEqual([]);
    },
  );

  scenario('as soon as a poll shows a deployment with its name', { deployments: [] }, async (w) => {
    w.apply(IMAGE);
    await w.pass(60);
    expect(w.condition('Synced')).toBe('False/NotFound');
    w.service.act({
      kind: 'add',
      seed: {
        ...{ name: AGENT, source: 'external_container', sourceConfig: {}, secrets: [] },
        ...{ revisionConfig: LIVE.revisionConfig, secretReferences: null },
        ...{ imageVersion: null, status: null, hidden: {} },
      },
    });
    await w.pass(75);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'permanently to the id: a rename at the service changes nothing (H24)',
    { deployments: [{ name: AGENT, id: ID, ...LIVE }] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      w.editAtService('name', 'renamed');
      await w.pass(150);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status()).toMatchObject({ deploymentID: ID, name: 'renamed' });
    },
  );
});

describe('a bound resource', () => {
  scenario(
    'does not adopt a new deployment with the name of the missing one; a new id in the spec rebinds it (H26)',
    { deployments: [{ name: AGENT, id: ID, ...LIVE }] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      w.service.act({ kind: 'delete', deployment: ID });
      const next = uuidFrom('the next one');
      w.service.act({
        kind: 'add',
        seed: {
          ...{ id: next, name: AGENT, source: 'external_container', sourceConfig: {}, secrets: [] },
          ...{ revisionConfig: {}, secretReferences: null, imageVersion: null, status: null, hidden: {} },
        },
      });
      await w.pass(2000);
      expect(w.condition('Synced')).toBe('False/NotFound');
      expect(w.status().deploymentID).toBe(ID);
      expect(w.bodies()).toEqual([]);
      w.apply({ ...IMAGE, deploymentRef: { id: next } });
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status().deploymentID).toBe(next);
      expect(w.patches().map(({ id }) => id)).toEqual([next]);
    },
  );

  scenario(
    'accepts a new id even if the connection is not ready at the time of the edit (C10, H26)',
    {
      deployments: [
        { name: AGENT, id: ID, ...LIVE },
        { name: 'the-next-one', id: uuidFrom('the next one'), ...LIVE },
      ],
    },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      w.service.act({ kind: 'delete', deployment: ID });
      await w.pass(2000);
      expect(w.condition('Synced')).toBe('False/NotFound');
      w.service.faults.add({ match: {}, times: 0, fault: { kind: 'reset-before' } });
      await w.pass(200);
      w.apply({ ...IMAGE, deploymentRef: { id: uuidFrom('the next one') } });
      await w.pass(100);
      expect(w.condition('Synced')).toBe('Unknown/ConnectionNotReady');
      const before = w.statusWrites.length;
      w.service.faults.clear();
      await w.pass(150);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.status().deploymentID).toBe(uuidFrom('the next one'));
      expect(w.statusStory(before).join()).not.toContain('NotFound');
    },
  );

  scenario(
    'does not count as missing when a shifting list hides it once (H32)',
    {
      deployments: [
        ...[1, 2, 3, 4].map((n) => ({ name: `first-${n}`, id: uuidFrom(`first ${n}`) })),
        { name: AGENT, ...LIVE },
      ],
      connection: { list: { pageSize: 2 } },
    },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      // Before the second page is read, an item of the first page disappears, so our item moves to the first page.
      w.service.actions.add({
        match: { operation: 'list', nth: 3 },
        action: { kind: 'delete', deployment: 'first-1' },
      });
      await w.pass(300);
      expect(w.service.deployment('first-1')).toBeUndefined();
      expect(w.statusStory().join()).not.toContain('NotFound');
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is held while the service is about to delete its deployment (H42)',
    { deployments: [{ name: AGENT, ...LIVE }] },
    async (w) => {
      w.apply(IMAGE);
      await w.pass(5);
      w.editAtService('status', 'DELETING_SOON');
      await w.pass(80);
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
      await w.pass(80);
      expect(w.state()).toBe('False/BeingDeleted False/BeingDeleted');
      expect(w.bodies()).toEqual([]);
      w.editAtService('status', null);
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.bodies()).toHaveLength(1);
    },
  );

  scenario(
    'whose deployment has another source, or moves to another tenant, is never written to (H22, H27)',
    {
      deployments: [
        { name: AGENT, source: 'codehost' },
        { name: 'moving', ...LIVE },
      ],
    },
    async (w) => {
      w.apply(IMAGE);
      w.apply(IMAGE, 'moving');
      await w.pass(5);
      expect(w.state()).toBe('False/SourceMismatch False/SourceMismatch');
      w.editAtService('tenant_id', uuidFrom('another tenant'), 'moving');
      await w.pass(80);
      w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, 'moving');
      await w.pass(80);
      expect(w.state('moving')).toBe('False/TenantChanged Unknown/TenantChanged');
      expect(w.bodies()).toEqual([]);
    },
  );
});
