import { link, lstat, lutimes, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { ExpectedError } from '../../base/expected-error.ts';
import { isJsonObject } from '../../base/json.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { errorCode } from '../files/file-tree.ts';
import { readOwn } from './read-trusted.ts';

/** How often a holder renews its lock, for processes that cannot check whether it runs. */
const SIGN_OF_LIFE_MS = 5_000;

/** The time without renewal after which a holder on another machine counts as dead. */
const SILENT_MS = 30_000;

/** A lock that this process holds. */
export interface Lock {
  /** False if another process took the lock over because it considered this process dead. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  /** The start time of the process: a later process may get the same number. */
  readonly started: string;
  /** The machine on which the process number is valid. */
  readonly machine: string;
}

/**
 * Takes the lock file `path`, or throws an ExpectedError that names the holder. Takes over the lock of a dead holder. A
 * holder on this machine is dead if its process no longer runs, and one on another machine after 30 seconds without
 * renewal.
 */
export async function acquireLock(path: string, clock: Clock): Promise<Lock> {
  const self: Holder = { pid, started: (await startOf(pid)) ?? '', machine: await machineName() };
  const text = `${JSON.stringify(self)}\n`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await create(path, text)) return held(path, text, clock);
    const found = await textIn(path);
    if (found === undefined) continue;
    await assertDead({ path, text: found }, self.machine, clock);
    await setAside(path, found);
  }
  throw new ExpectedError(`${path}: other processes are taking this lock at the same time; try again`);
}

/**
 * Returns the text of a lock, or undefined if it does not exist. Throws an ExpectedError if another user may have made
 * it.
 */
async function textIn(path: string): Promise<string | undefined> {
  return (await readOwn(path))?.toString('utf8');
}

/** Creates the file with its content in one step. Returns false if it exists already. */
async function create(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${pid}`;
  try {
    // A link of this name is removed, so that nothing writes to its target.
    await rm(draft, { force: true });
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Throws an ExpectedError that names the holder of a lock, unless the holder is dead. */
async function assertDead(
  { path, text }: { readonly path: string; readonly text: string },
  machine: string,
  clock: Clock,
): Promise<void> {
  const holder = parseHolder(text);
  const inUse = (who: string, more = ''): ExpectedError =>
    new ExpectedError(
      `${path}: the state is in use by ${who}${more}; stop that process, or give another --state file`,
    );
  if (holder !== undefined && holder.machine === machine) {
    const started = await startOf(holder.pid);
    if (started === holder.started) throw inUse(`process ${holder.pid}`);
    return;
  }
  const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: 0 }));
  const silentMs = clock.now() - mtimeMs;
  if (silentMs > SILENT_MS) return;
  const who =
    holder === undefined ? 'an unknown process' : `process ${holder.pid} on ${shortName(holder.machine)}`;
  throw inUse(who, ` (seen ${Math.max(0, Math.round(silentMs / 1000))} s ago)`);
}

/** Returns the machine without the part that distinguishes its containers. A foreign file may contain any text. */
function shortName(machine: string): string {
  return textForPeople(machine.split('/')[0] ?? '', 256);
}

/** Removes a dead lock. Puts the lock back if another process took it in the meantime. */
async function setAside(path: string, dead: string): Promise<void> {
  const aside = `${path}.${pid}.dead`;
  try {
    await rename(path, aside);
    if ((await textIn(aside)) !== dead) await link(aside, path).catch(() => undefined);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function held(path: string, text: string, clock: Clock): Lock {
  const isHeld = async (): Promise<boolean> => (await textIn(path).catch(() => '')) === text;
  const show = (): void => {
    const seconds = clock.now() / 1000;
    lutimes(path, seconds, seconds).catch(() => undefined);
    cancel = clock.after(SIGN_OF_LIFE_MS, show);
  };
  let cancel = clock.after(0, show);
  return {
    isHeld,
    release: async () => {
      cancel();
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { pid: number, started, machine } = value;
    if (typeof number !== 'number' || typeof started !== 'string' || typeof machine !== 'string')
      return undefined;
    return { pid: number, started, machine };
  } catch {
    return undefined;
  }
}

/**
 * Returns the start time of a process, as a text to compare with others of this machine, or undefined if it does not
 * run.
 */
async function startOf(number: number): Promise<string | undefined> {
  try {
    kill(number, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (errorCode(error) !== 'EPERM') return undefined;
  }
  try {
    const line = await readFile(`/proc/${number}/stat`, 'utf8');
    // The second field, the command, may contain spaces. The start time is the 22nd field.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Returns the machine and, if it has one, the namespace of its process numbers: containers share neither. */
async function machineName(): Promise<string> {
  return `${hostname()}/${await readlink('/proc/self/ns/pid').catch(() => '')}`;
}
