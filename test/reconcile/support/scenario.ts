import { test } from 'vitest';
import { expectRecorded } from '../../support/resources/recorded-statuses.ts';
import { conclude, expectOracleContent } from './conclusion.ts';
import { type Given, World } from './world.ts';

/** Stories wait for no socket, only for a processor that others may be busy with. */
const STORY_LIMIT_MS = 60_000;

type Story = (world: World) => Promise<void>;

/**
 * A test that plays a story in a world of its own. Every story ends with the same conclusion: sound conditions,
 * silence, no rule of the interface broken, no secret told, no status but those that tools were asked about.
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

/** A scenario at whose end the oracle of the matrix has nothing to object to either. */
export function judgedScenario(name: string, given: Given, story: Story): void {
  scenario(name, given, story, expectOracleContent);
}
