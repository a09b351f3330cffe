import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcessModel } from '../../support/worlds/process-model.ts';
import { TestFence } from '../../support/doubles/test-fence.ts';
import { World } from '../support/world.ts';

const image = (version: number): { sourceRevisionConfig: { imageURI: string } } => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${version}` },
});

let world: World;
let fence: TestFence;
let replica: ProcessModel;

beforeEach(async () => {
  world = new World({ started: false });
  world.connect();
  world.apply(image(1));
  fence = new TestFence();
  replica = world.another({ fence });
  await world.pass(60);
});

afterEach(async () => {
  await world.clock.runUntil(replica.stop());
});

describe('a replica behind its fence', () => {
  test('works while the fence is open', async () => {
    expect(world.state()).toContain('InSync');
    expect(world.patches()).toHaveLength(1);
  });

  // Not closed yet: a suspended process learns the loss from the clock, before any signal of it.
  test('sends nothing that was decided or due when its lease ran out, however long it continues', async () => {
    const before = world.service.log.requests().length;
    fence.open = false;
    world.apply(image(2));
    await world.pass(600);
    expect(world.service.log.requests()).toHaveLength(before);
    expect(world.patches()).toHaveLength(1);
  });

  test('releases work in progress when the lease is lost, and begins nothing after it', async () => {
    world.become({ latencyMs: 5_000 });
    world.apply(image(2));
    await world.pass(2);
    const begun = world.service.log.requests().length;
    fence.close();
    await world.pass(600);
    expect(world.service.log.requests()).toHaveLength(begun);
  });
});
