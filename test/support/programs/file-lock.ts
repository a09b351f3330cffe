import { open, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed, type Report } from './progress.ts';

const POLL_MS = 500;
const HEARTBEAT_MS = 5_000;
/** A lock whose owner has not touched it for this time belongs to a dead process. */
const ABANDONED_MS = 60_000;

/**
 * Runs `work` while no other process on this machine holds the lock file. The owner keeps touching the file. Another
 * process takes over a file that is no longer touched, so a killed process blocks others only for a short time.
 */
export async function withFileLock(file: string, report: Report, work: () => Promise<void>): Promise<void> {
  await acquire(file, report);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

async function acquire(file: string, report: Report): Promise<void> {
  const startedAt = Date.now();
  for (let attempt = 0; ; attempt++) {
    if (await create(file)) return;
    if (await isAbandoned(file)) {
      await rm(file, { force: true });
      continue;
    }
    if (attempt % 30 === 0) {
      report(`waiting for another process that prepares it, ${elapsed(startedAt)} so far`);
    }
    await sleep(POLL_MS);
  }
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(`${process.pid}\n`);
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS;
}
