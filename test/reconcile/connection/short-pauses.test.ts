import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
const GIVEN = {
  deployments: NAMES.map((name) => ({ name, revisionConfig: { image_uri: 'registry.example.com/agent:1' } })),
};
const SPEC = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };

async function rest(w: World): Promise<void> {
  for (const name of NAMES) w.apply(SPEC, name);
  await w.pass(120);
  for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
}

/** The service answers the next list with 429, and asks for a pause of so many seconds. */
function throttle(w: World, seconds: number): void {
  const headers = { 'Retry-After': String(seconds) };
  w.fault({ kind: 'status', status: 429, headers }, { match: { operation: 'list' } });
}

describe('a pause that the service asks for (R16)', () => {
  scenario('and that ends within a poll interval is shown by the connection alone', GIVEN, async (w) => {
    await rest(w);
    const before = w.statusWrites.length;
    throttle(w, 5);
    let shown = false;
    for (let seconds = 0; seconds < 200; seconds += 1) {
      await w.pass(1);
      shown ||= w.connectionState() === 'False/RateLimited';
    }
    expect(shown).toBe(true);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.statusWrites.length - before).toBe(0);
  });

  scenario('is shown at once by a resource that was edited meanwhile', GIVEN, async (w) => {
    await rest(w);
    throttle(w, 40);
    while (w.connectionState() !== 'False/RateLimited') await w.pass(1);
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, 'agent-3');
    await w.pass(1);
    expect(w.state('agent-3')).toContain('ConnectionNotReady');
    expect(w.state('agent-4')).toBe('True/InSync True/Active');
    await w.pass(120);
    expect(w.state('agent-3')).toBe('True/InSync True/Active');
  });

  for (const intervalSeconds of [60, 15])
    scenario(
      `and that lasts longer than the poll interval of ${intervalSeconds} s is shown by every resource`,
      { ...GIVEN, connection: { poll: { intervalSeconds } } },
      async (w) => {
        await rest(w);
        throttle(w, 150);
        while (w.connectionState() !== 'False/RateLimited') await w.pass(1);
        await w.pass(intervalSeconds - 3);
        for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
        await w.pass(6);
        for (const name of NAMES) expect(w.state(name)).toContain('ConnectionNotReady');
        await w.pass(300);
        for (const name of NAMES) expect(w.state(name)).toBe('True/InSync True/Active');
      },
    );
});
