import { describe, expect, it, onTestFinished } from 'vitest';
import { type Reading, watchFolders } from '../../../src/directory/files/watch-folders.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Starts a watch over contents that the test sets, and returns what it passed on. */
function watched(first: string, folders: readonly string[] = []) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const abort = new AbortController();
  const world = { content: first, failing: false, reads: 0 };
  const passedOn: string[] = [];
  const unchanged: string[] = [];
  const unsettled: string[] = [];
  const now = (): Reading => ({ contentHash: world.content, folders });
  const running = watchFolders(
    {
      first: now(),
      async read() {
        world.reads += 1;
        if (world.failing) throw new Error('the disk is away');
        return now();
      },
      onReading: ({ contentHash }, settled) =>
        passedOn.push(`${contentHash}${settled ? '' : ' (unsettled)'}`),
      onUnchanged: ({ contentHash }) => unchanged.push(contentHash),
      onUnsettled: ({ contentHash }) => unsettled.push(contentHash),
      clock,
      logger,
    },
    abort.signal,
  );
  onTestFinished(async () => {
    abort.abort();
    await running;
  });
  return { clock, logger, abort, running, world, passedOn, unchanged, unsettled };
}

describe('watching a folder', () => {
  it('confirms the first reading before it counts', async () => {
    const { clock, passedOn } = watched('a');
    expect(passedOn).toEqual([]);
    await clock.advance(300);
    expect(passedOn).toEqual(['a']);
  });

  it('reads every five seconds and passes on a change once it is quiet', async () => {
    const { clock, passedOn, world } = watched('a');
    await clock.advance(300);
    world.content = 'b';
    await clock.advance(5_000);
    expect(passedOn).toEqual(['a']);
    await clock.advance(300);
    expect(passedOn).toEqual(['a', 'b']);
    await clock.advance(60_000);
    expect(passedOn).toEqual(['a', 'b']);
  });

  it('reports a reading as unchanged only if it equals the content passed on last', async () => {
    const { clock, unchanged, world } = watched('a');
    await clock.advance(300);
    expect(unchanged).toEqual([]);
    await clock.advance(10_000);
    expect(unchanged).toEqual(['a', 'a']);
    world.content = 'b';
    await clock.advance(5_300);
    expect(unchanged).toEqual(['a', 'a']);
    await clock.advance(5_000);
    expect(unchanged).toEqual(['a', 'a', 'b']);
  });

  it('reports the content on which two readings agree', async () => {
    const { clock, passedOn, unsettled, world } = watched('a');
    await clock.advance(300);
    world.content = 'b';
    await clock.advance(5_000);
    world.content = 'a';
    await clock.advance(600);
    expect(passedOn).toEqual(['a', 'a']);
    expect(unsettled).toEqual(['b', 'a']);
  });

  it('passes on nothing of a checkout in progress', async () => {
    const { clock, passedOn, world } = watched('before');
    await clock.advance(300);
    for (const content of ['half', 'three quarters', 'after']) {
      world.content = content;
      await clock.advance(content === 'half' ? 5_000 : 300);
    }
    await clock.advance(300);
    expect(passedOn).toEqual(['before', 'after']);
  });

  it('passes on content that keeps changing as unsettled, and reports when it settles', async () => {
    const { clock, passedOn, world } = watched('0');
    for (let change = 1; change <= 22; change += 1) {
      world.content = String(change);
      await clock.advance(300);
    }
    expect(passedOn).toEqual(['21 (unsettled)', '22 (unsettled)']);
    await clock.advance(300);
    expect(passedOn.at(-1)).toBe('22');
  });

  it('continues after a failed reading', async () => {
    const { clock, passedOn, world, logger } = watched('a');
    await clock.advance(300);
    world.failing = true;
    await clock.advance(5_000);
    world.failing = false;
    world.content = 'b';
    await clock.advance(5_300);
    expect(passedOn).toEqual(['a', 'b']);
    expect(logger.messages('warn')).toEqual(['the folder could not be read']);
  });

  it('looks soon when the file system hints at a change, and once for many hints', async () => {
    const folder = temporaryFolder();
    const { clock, world } = watched('a', [folder.path]);
    await clock.advance(300);
    const before = world.reads;
    for (const name of ['x', 'y', 'z']) folder.write(name, '');
    const startMs = clock.now();
    await expect
      .poll(async () => {
        await clock.advance(100);
        return world.reads;
      })
      .toBe(before + 1);
    expect(clock.now() - startMs).toBeLessThan(5_000);
    await clock.advance(1_000);
    expect(world.reads).toBe(before + 1);
  });

  it('ends when its signal aborts, with no timer left', async () => {
    const { clock, abort, running } = watched('a');
    await clock.advance(300);
    abort.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });
});
