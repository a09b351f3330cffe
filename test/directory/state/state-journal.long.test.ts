import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readState, type ResourceState } from '../../../src/directory/state/state-content.ts';
import { StateFile } from '../../../src/directory/state/state-file.ts';
import { ExpectedError } from '../../../src/base/expected-error.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const COUNT = 200;

function stateOf(generation: number): ResourceState {
  return {
    ...{ uid: 'u', generation, specHash: 'k:h', resourceVersion: 1, claimed: false },
    creationTimestamp: '2026-11-20T00:00:00Z',
    status: { plan: 'x'.repeat(1_000) },
  };
}

const keyOf = (n: number): string => `Deployment/team-a/agent-${n}`;

/** Creates a state file that is too large to be written whole for each change, and writes it once. */
async function large(folder: TemporaryFolder): Promise<StateFile> {
  const file = await StateFile.open(folder.at('state.json'), new VirtualClock(), new MemoryLogger());
  onTestFinished(() => file.close().catch(() => undefined));
  for (let n = 0; n < COUNT; n += 1) file.set(keyOf(n), stateOf(1));
  await file.landed();
  return file;
}

async function change(file: StateFile, n: number, generation: number): Promise<void> {
  file.set(keyOf(n), stateOf(generation));
  await file.landed();
}

const generations = async (folder: TemporaryFolder): Promise<readonly number[]> =>
  [...(await readState(folder.at('state.json'))).resources.values()].map(({ generation }) => generation);

describe('a large state', () => {
  it('is written once, and then only its changes, however many resources it has', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    const whole = statSync(folder.at('state.json'));
    for (let n = 0; n < 50; n += 1) await change(file, n, 2);
    expect(statSync(folder.at('state.json')).ino).toBe(whole.ino);
    const perChange = statSync(folder.at('state.json.journal')).size / 50;
    expect(perChange).toBeLessThan(2 * JSON.stringify(stateOf(2)).length);
  });

  it('is complete for a reader after each change, and for a process that starts after a crash', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    await change(file, 7, 3);
    file.delete(keyOf(8));
    await file.landed();
    const { resources } = await readState(folder.at('state.json'));
    expect(resources.get(keyOf(7))?.generation).toBe(3);
    expect(resources.has(keyOf(8))).toBe(false);
    expect(resources.size).toBe(COUNT - 1);
    folder.remove('state.json.lock');
    const next = await StateFile.open(folder.at('state.json'), new VirtualClock(), new MemoryLogger());
    expect(next.get(keyOf(7))?.generation).toBe(3);
    await next.close();
    expect((await readState(folder.at('state.json'))).resources).toEqual(resources);
  });

  it('becomes one file when it is closed, and a program without journals can read it', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    expect(folder.read('state.json')).toMatch(/^\{\n "version": 2,/);
    await change(file, 7, 3);
    await file.close();
    expect(folder.read('state.json')).toMatch(/^\{\n "version": 1,/);
    expect(existsSync(folder.at('state.json.journal'))).toBe(false);
    expect((await generations(folder)).filter((generation) => generation === 3)).toHaveLength(1);
  });

  it('is written whole when the journal has reached its size', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    let longest = 0;
    for (let round = 0; round < 5 * COUNT; round += 1) {
      await change(file, round % COUNT, 2 + round);
      if (existsSync(folder.at('state.json.journal')))
        longest = Math.max(longest, statSync(folder.at('state.json.journal')).size);
    }
    expect(longest).toBeLessThan(1.1 * statSync(folder.at('state.json')).size);
    expect(Math.min(...(await generations(folder)))).toBe(2 + 4 * COUNT);
  });

  it('applies no change from a journal of an earlier process', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    await change(file, 7, 3);
    const journal = folder.read('state.json.journal');
    await file.close();
    folder.write('state.json.journal', journal);
    expect((await readState(folder.at('state.json'))).resources.get(keyOf(7))?.generation).toBe(3);
    const next = await StateFile.open(folder.at('state.json'), new VirtualClock(), new MemoryLogger());
    onTestFinished(() => next.close());
    await change(next, 7, 4);
    // A crash between the two steps of a replacement leaves the new file with the old journal.
    folder.write('state.json.journal', journal);
    expect((await readState(folder.at('state.json'))).resources.get(keyOf(7))?.generation).toBe(4);
  });

  it('drops a last line that was not written completely, and refuses a damaged one', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    await change(file, 7, 3);
    const line = folder.read('state.json.journal');
    folder.write('state.json.journal', line + line.slice(0, 40));
    expect((await readState(folder.at('state.json'))).resources.get(keyOf(7))?.generation).toBe(3);
    for (const damage of ['{"sequence":2}\n', 'nothing\n', line.replace('"u"', '1')]) {
      folder.write('state.json.journal', line + damage);
      const error: unknown = await readState(folder.at('state.json')).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ExpectedError);
      expect(String(error)).toContain('state.json.journal: the state file is damaged in line 2');
    }
    folder.write('state.json.journal', line);
  });

  it('is written whole after a failed write', async () => {
    const folder = temporaryFolder();
    const file = await large(folder);
    mkdirSync(folder.at('state.json.journal'));
    await expect(change(file, 7, 3)).rejects.toThrow('EISDIR');
    rmdirSync(folder.at('state.json.journal'));
    await file.landed();
    expect(existsSync(folder.at('state.json.journal'))).toBe(false);
    expect((await readState(folder.at('state.json'))).resources.get(keyOf(7))?.generation).toBe(3);
  });
});
