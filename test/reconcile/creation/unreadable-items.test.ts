import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const SPEC = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const LIVE = { revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const GIVEN = { deployments: [{ name: AGENT, ...LIVE }] };
/** More digits than a JavaScript number can hold. */
const TOO_LONG = 2 ** 53;
const GPUS = 'source_config.resource_spec.gpu_count';
const CAUSE = 'source_config.resource_spec.gpu_count: has more digits than can be sent back';

const breakItem = (w: World): void => w.editAtService(GPUS, TOO_LONG);
const mendItem = (w: World): void => w.editAtService(GPUS, 1);

describe('a deployment whose list item cannot be read', () => {
  scenario(
    'is reported on its resource, with the item and the cause, until it can be read (K7)',
    GIVEN,
    async (w) => {
      const { id } = w.kept();
      w.apply(SPEC);
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      breakItem(w);
      await w.pass(80);
      expect(w.state()).toBe('Unknown/Unreadable Unknown/Unreadable');
      expect(w.condition('Stalled')).toBe('True/Unreadable');
      expect(w.condition('Reconciling')).toBeUndefined();
      expect(w.message()).toContain(`${id}, which cannot be read: ${CAUSE}`);
      expect(w.message()).not.toContain(String(TOO_LONG));
      w.apply({ ...SPEC, sourceConfig: { customURL: 'https://a.example.com' } });
      await w.pass(700);
      expect(w.state()).toBe('Unknown/Unreadable Unknown/Unreadable');
      expect(w.patches()).toHaveLength(0);
      mendItem(w);
      await w.pass(80);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('is neither created a second time nor bound by its name (K7)', GIVEN, async (w) => {
    breakItem(w);
    w.apply({ ...SPEC, creation: { policy: 'IfMissing' } });
    await w.pass(120);
    expect(w.state()).toBe('Unknown/Unreadable Unknown/Unreadable');
    expect(w.service.log.count('create')).toBe(0);
    mendItem(w);
    await w.pass(80);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.service.deployments()).toHaveLength(1);
  });

  scenario(
    'delays the creation of another one, which follows within three poll intervals after it can be read',
    GIVEN,
    async (w) => {
      breakItem(w);
      w.apply({ ...SPEC, creation: { policy: 'IfMissing' } }, 'new');
      await w.pass(3000);
      expect(w.state('new')).toBe('Unknown/NotVisibleYet False/NotVisibleYet');
      expect(w.service.log.count('create')).toBe(0);
      mendItem(w);
      await w.pass(230);
      expect(w.service.log.count('create')).toBe(1);
      await w.pass(300);
    },
  );

  scenario('is not confirmed as deleted, and can be released (K7)', GIVEN, async (w) => {
    w.apply({ ...SPEC, deletionPolicy: 'Delete' });
    await w.pass(60);
    breakItem(w);
    await w.pass(80);
    w.store.remove(keyOf(AGENT));
    await w.pass(400);
    expect(w.condition('Synced')).toBe('False/Deleting');
    expect(w.message()).toContain(CAUSE);
    expect(w.service.log.count('delete')).toBe(0);
    w.store.edit(keyOf(AGENT), (resource) => ({
      ...resource,
      spec: { ...resource.spec, deletionPolicy: 'Orphan' },
    }));
    await w.pass(5);
    expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
  });

  scenario(
    'blocks no other existing deployment, and the missing ones report why absence is not proven (K6, K7)',
    {
      deployments: [{ name: 'broken' }, { name: AGENT, ...LIVE }],
      connection: { poll: { intervalSeconds: 10 } },
    },
    async (w) => {
      w.editAtService(GPUS, TOO_LONG, 'broken');
      w.apply(SPEC);
      w.apply({ ...SPEC, deploymentRef: { name: 'missing' } }, 'missing');
      await w.pass(60);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.state('missing')).toBe('Unknown/NotVisibleYet False/NotVisibleYet');
      expect(w.message('missing')).toContain('an item of the list cannot be read');
      const before = w.service.log.count('list');
      await w.pass(100);
      // One sweep and one extra pass per poll interval, with two calls each.
      expect(w.service.log.count('list') - before).toBeLessThanOrEqual(2 * (100 / 8 + 100 / 10 + 1));
      w.editAtService(GPUS, 1, 'broken');
      await w.pass(1_500);
      expect(w.condition('Synced', 'missing')).toBe('False/NotFound');
    },
  );
});
