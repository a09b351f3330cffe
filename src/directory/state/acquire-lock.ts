import { link, lstat, lutimes, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { ExpectedError } from '../../base/expected-error.ts';
import { isJsonObject } from '../../base/json.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { errorCode } from '../files/file-tree.ts';
import { readOwn } from './read-trusted.ts';

/** How often the holder of a lock shows that it lives, for processes that cannot look it up. */
const SIGN_OF_LIFE_MS = 5_000;

/** Silence after which a holder that cannot be looked up is taken for dead. */
const SILENT_MS = 30_000;

/** A lock that this process holds. */
export interface Lock {
  /** False once another process took the lock over, because it took this one for dead. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  /** Which run of that process number: a later process may get the same. */
  readonly started: string;
  /** Where the process number means something. */
  readonly machine: string;
}

/**
 * Takes the lock file `path`, or throws an ExpectedError that names the holder. A lock whose holder is dead is taken
 * over: a holder on this machine is looked up, another one is dead after 30 seconds without a sign of life.
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
 * Reads the text of a lock; undefined if there is none. Throws an ExpectedError for a lock that somebody else
 * may have made.
 */
async function textIn(path: string): Promise<string | undefined> {
  return (await readOwn(path))?.toString('utf8');
}

/** Makes the file with its content in one step; false when it exists. */
async function create(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${pid}`;
  try {
    // The target of a link is never written.
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

/** Throws an ExpectedError that names the holder of a lock, as seen from a machine, unless it is dead. */
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

/** The machine without what tells its containers apart; the text of a file may be anything. */
function shortName(machine: string): string {
  return textForPeople(machine.split('/')[0] ?? '', 256);
}

/** Removes a dead lock, unless another process was faster and holds it now. */
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

/** When a process was started, as a text that only means something to itself; undefined when there is none. */
async function startOf(number: number): Promise<string | undefined> {
  try {
    kill(number, 0);
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    if (errorCode(error) !== 'EPERM') return undefined;
  }
  try {
    const line = await readFile(`/proc/${number}/stat`, 'utf8');
    // The second field, the command, may hold spaces; the start time is the 22nd.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** The machine and, where there are such, the namespace of its process numbers: containers share neither. */
async function machineName(): Promise<string> {
  return `${hostname()}/${await readlink('/proc/self/ns/pid').catch(() => '')}`;
}
