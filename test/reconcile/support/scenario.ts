import { test } from 'vitest';
import { expectRecorded } from '../../support/resources/recorded-statuses.ts';
import { conclude, expectOracleContent } from './conclusion.ts';
import { type Given, World } from './world.ts';

/** Scenarios wait for no socket, only for a processor shared with other work. */
const STORY_LIMIT_MS = 60_000;

type Story = (world: World) => Promise<void>;

/**
 * Defines a test that plays a scenario in a world of its own. Every scenario ends with the same checks: sound
 * conditions, silence, no violation of the interface, no leaked secret, and only statuses that the tests of other tools
 * cover.
 */
export function scenario(
  name: string,
  given: Given,
  story: Story,
  judge: (world: World) => void = () => undefined,
): void {
  test(name, { timeout: STORY_LIMIT_MS }, async () => {
    const world = new World(given);
    try {
      await story(world);
      await conclude(world);
      judge(world);
      await expectRecorded(world.statusWrites.map(({ metadata, after: status }) => ({ metadata, status })));
    } finally {
      world.kill();
    }
  });
}

/** Defines a scenario that the oracle of the matrix also judges at the end. */
export function judgedScenario(name: string, given: Given, story: Story): void {
  scenario(name, given, story, expectOracleContent);
}
