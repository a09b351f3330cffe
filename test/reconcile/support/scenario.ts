import { test } from 'vitest';
import { conclude } from './conclusion.ts';
import { type Given, World } from './world.ts';

/**
 * A test that plays a story in a world of its own. Every story ends with the same conclusion: sound conditions,
 * silence, no rule of the interface broken, no secret told.
 */
export function scenario(name: string, given: Given, story: (world: World) => Promise<void>): void {
  test(name, async () => {
    const world = new World(given);
    try {
      await story(world);
      await conclude(world);
    } finally {
      world.kill();
    }
  });
}
