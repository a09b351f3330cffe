import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ResourceState } from '../../../src/directory/state/state-content.ts';
import { StateFile } from '../../../src/directory/state/state-file.ts';
import { ExpectedError } from '../../../src/base/expected-error.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = 'Deployment/team-a/agent';

const STATE: ResourceState = {
  uid: 'u',
  generation: 1,
  specHash: 'k:h',
  resourceVersion: 1,
  creationTimestamp: '2026-11-20T00:00:00Z',
  claimed: false,
  status: { observedGeneration: 1 },
};

const DEEP = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

async function open(
  path: string,
  clock: Clock = new VirtualClock(),
  logger = new MemoryLogger(),
): Promise<StateFile> {
  const state = await StateFile.open(path, clock, logger);
  onTestFinished(() => state.close().catch(() => undefined));
  return state;
}

describe('the state file', () => {
  it('starts empty, and returns after a restart what was set', async () => {
    const folder = temporaryFolder();
    const first = await open(folder.at('.dms-operator/state.json'));
    first.keyID = 'abcd1234';
    first.set(KEY, STATE);
    first.set('Deployment/team-a/gone', STATE);
    first.delete('Deployment/team-a/gone');
    await first.close();
    const second = await open(folder.at('.dms-operator/state.json'));
    expect(second.keyID).toBe('abcd1234');
    expect(second.entries()).toEqual([[KEY, STATE]]);
  });

  it('has the documented layout', async () => {
    const folder = temporaryFolder();
    const state = await open(folder.at('state.json'));
    state.set(KEY, STATE);
    await state.landed();
    expect(JSON.parse(folder.read('state.json'))).toEqual({
      version: 1,
      keyID: '',
      resources: { [KEY]: STATE },
    });
  });

  it('can be read by its owner alone, and so can its folder', async () => {
    const folder = temporaryFolder({ 'a/state.json.new': 'left by a crash, readable by all' });
    for (const path of ['a/state.json', 'b/state.json']) {
      const state = await open(folder.at(path));
      state.set(KEY, STATE);
      await state.landed();
      expect(statSync(folder.at(path)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(folder.at('b')).mode & 0o777).toBe(0o700);
  });

  it('adds itself to the ignored files of version control if it creates its folder', async () => {
    const folder = temporaryFolder({ 'own/.keep': '' });
    await open(folder.at('.dms-operator/state.json'));
    expect(folder.read('.dms-operator/.gitignore')).toBe('*\n');
    await open(folder.at('own/state.json'));
    expect(existsSync(folder.at('own/.gitignore'))).toBe(false);
  });

  it('reports in one line that it cannot be stored at its path', async () => {
    const folder = temporaryFolder({ 'a.yaml': '' });
    const error: unknown = await open(folder.at('a.yaml/state.json')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExpectedError);
    expect(String(error)).toMatch(
      /the state cannot be kept here: .*E[A-Z]+\)?; give a --state file elsewhere$/,
    );
  });

  it('has landed only when it is on disk', async () => {
    const folder = temporaryFolder();
    const state = await open(folder.at('state.json'));
    state.set(KEY, STATE);
    expect(existsSync(folder.at('state.json'))).toBe(false);
    await state.landed();
    expect(folder.read('state.json')).toContain(KEY);
  });

  it('includes the changes made during a write in the next write', async () => {
    const folder = temporaryFolder();
    const state = await open(folder.at('state.json'));
    const landings = Array.from({ length: 20 }, async (_, generation) => {
      state.set(KEY, { ...STATE, generation });
      await state.landed();
      const { resources } = JSON.parse(folder.read('state.json')) as {
        resources: Record<string, ResourceState>;
      };
      expect(resources[KEY]?.generation).toBeGreaterThanOrEqual(generation);
    });
    await Promise.all(landings);
  });

  it('is written a moment later if no caller waits, several changes together', async () => {
    const folder = temporaryFolder();
    const clock = new VirtualClock();
    const state = await open(folder.at('state.json'), clock);
    state.set(KEY, STATE);
    await clock.advance(200);
    state.set(KEY, { ...STATE, generation: 2 });
    expect(existsSync(folder.at('state.json'))).toBe(false);
    await clock.advance(50);
    await state.close();
    expect(folder.read('state.json')).toContain('"generation": 2');
  });

  it('reports a failed write to the callers that wait, tries again later, and logs that it succeeded', async () => {
    const folder = temporaryFolder();
    const clock = new VirtualClock();
    const logger = new MemoryLogger();
    const state = await open(folder.at('state.json'), clock, logger);
    folder.write('state.json.new/in-the-way', '');
    state.set(KEY, STATE);
    await expect(state.landed()).rejects.toThrow('EISDIR');
    await clock.advance(5_000);
    await expect.poll(() => logger.messages('error')).toEqual(['the state file could not be written']);
    folder.remove('state.json.new');
    await clock.advance(5_000);
    await state.close();
    expect(folder.read('state.json')).toContain(KEY);
  });

  it.each([
    { name: 'no JSON', text: '{"version": 1, "keyID"', message: 'damaged; restore a copy, or move it away' },
    { name: 'another shape', text: '[]', message: 'damaged' },
    {
      name: 'a damaged resource',
      text: `{"version":1,"keyID":"","resources":{"${KEY}":{"uid":1}}}`,
      message: `damaged at ${KEY}`,
    },
    { name: 'nothing at all', text: '', message: 'damaged' },
    {
      name: 'a newer version',
      text: '{"version": 3, "other": []}',
      message: 'version 3 of the state file is unknown; expected 1 or 2',
    },
    {
      name: 'a version that is no number',
      text: '{"version":{"a":"hunter2"},"keyID":"","resources":{}}',
      message: 'the state file is damaged; restore',
    },
    {
      name: 'a key that is long',
      text: `{"version":1,"keyID":"","resources":{"${'k'.repeat(100_000)}":1}}`,
      message: 'k…; restore a copy',
    },
    {
      name: 'what is nested too deeply to be written again',
      text: `{"version":1,"keyID":"","resources":{"${KEY}":${JSON.stringify({ ...STATE, status: { a: 0 } }).replace('0}', `${DEEP}}`)}}}`,
      message: `damaged at ${KEY}`,
    },
  ])('is refused in one line if it holds $name, and its lock is released', async ({ text, message }) => {
    const folder = temporaryFolder({ 'state.json': text });
    const error: unknown = await StateFile.open(
      folder.at('state.json'),
      new VirtualClock(),
      new MemoryLogger(),
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExpectedError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('\n');
    expect(folder.read('state.json')).toBe(text);
    expect(existsSync(folder.at('state.json.lock'))).toBe(false);
  });
});

describe('the lock of the state file', () => {
  it('keeps a second process out and names the first', async () => {
    const folder = temporaryFolder();
    await open(folder.at('state.json'));
    await expect(open(folder.at('state.json'))).rejects.toThrow(
      `the state is in use by process ${process.pid}`,
    );
  });

  it('is released when the file is closed', async () => {
    const folder = temporaryFolder();
    await (await open(folder.at('state.json'))).close();
    await open(folder.at('state.json'));
  });

  it('is taken over from a dead process, also if its pid was reused', async () => {
    const folder = temporaryFolder();
    const state = await open(folder.at('state.json'));
    const { machine } = JSON.parse(folder.read('state.json.lock')) as { machine: string };
    await state.close();
    for (const dead of [
      { pid: 4_194_303, started: '1', machine },
      { pid: process.pid, started: 'long ago', machine },
    ]) {
      folder.write('state.json.lock', JSON.stringify(dead));
      await (await open(folder.at('state.json'))).close();
    }
  });

  it('is taken over from another machine only after 30 s without a sign of life', async () => {
    const other = JSON.stringify({ pid: 1, started: '1', machine: `not-${hostname()}/` });
    const folder = temporaryFolder({ 'state.json.lock': other });
    const clock = new VirtualClock();
    const seenMs = (agoMs: number): void => {
      utimesSync(folder.at('state.json.lock'), 0, (clock.now() - agoMs) / 1000);
    };
    seenMs(20_000);
    await expect(open(folder.at('state.json'), clock)).rejects.toThrow(
      `process 1 on not-${hostname()} (seen 20 s ago)`,
    );
    seenMs(31_000);
    await open(folder.at('state.json'), clock);
  });

  it('shows a sign of life every few seconds', async () => {
    const folder = temporaryFolder();
    const clock = new VirtualClock();
    await open(folder.at('state.json'), clock);
    const before = clock.now();
    // Each sign of life is a real write, and the next one is due only after it. So the time passes in steps.
    const seen = async (): Promise<number> => {
      await clock.advance(5_000);
      return statSync(folder.at('state.json.lock')).mtimeMs;
    };
    await expect.poll(seen, { timeout: 8_000 }).toBeGreaterThan(before + 50_000);
  });

  it('stops the writes of a process that lost it', async () => {
    const folder = temporaryFolder();
    const state = await open(folder.at('state.json'));
    folder.write('state.json.lock', JSON.stringify({ pid: 1, started: '1', machine: 'other' }));
    state.set(KEY, STATE);
    await expect(state.landed()).rejects.toThrow('another process took this state over');
    expect(existsSync(folder.at('state.json'))).toBe(false);
    await state.close().catch(() => undefined);
    expect(folder.read('state.json.lock')).toContain('other');
  });
});

describe('a process that is killed during a write', () => {
  const writer = fileURLToPath(new URL('../support/state-writer.ts', import.meta.url));

  /**
   * Lets a process write until it has reported `rounds` writes, and some milliseconds more. Returns the last one it
   * reported.
   */
  async function writeUntilKilled(path: string, rounds: number, momentsMs: number): Promise<number> {
    const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    let told = 0;
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      told = Number(line);
      seen += 1;
      if (seen === rounds) systemClock.after(momentsMs, () => child.kill('SIGKILL'));
    }
    await ended;
    return told;
  }

  it(
    'leaves a whole file with every write that had landed, and a lock that can be taken over',
    { timeout: 30_000 },
    async () => {
      const folder = temporaryFolder();
      const path = folder.at('state.json');
      let landed = 0;
      for (const momentsMs of [0, 1, 2, 3, 5, 8]) {
        const told = await writeUntilKilled(path, 3, momentsMs);
        expect(told).toBeGreaterThan(landed);
        const { resources } = JSON.parse(folder.read('state.json')) as {
          resources: Record<string, ResourceState>;
        };
        const generations = new Set(Object.values(resources).map(({ generation }) => generation));
        expect(generations.size).toBe(1);
        landed = told;
        expect([...generations][0]).toBeGreaterThanOrEqual(landed);
      }
      await open(path, systemClock);
    },
  );
});
