import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastNoted, type Noted } from './black-box.ts';

/** What a process may take. */
export interface Limits {
  /** What it may hold at its peak: with more it ends. */
  readonly heapMiB: number;
  /** After this it is ended, whatever it does. */
  readonly afterMs: number;
}

/** Twice what the hungriest reader takes for the largest input, and a time that only a reader needs that hangs. */
export const LIMITS: Limits = { heapMiB: 256, afterMs: 150_000 };

/** What a process told, and how it ended. */
export interface Told<Report> {
  readonly report: Report | undefined;
  /** For people, with its last words. */
  readonly ending: string;
  /** What it noted last in its black box. */
  readonly noted: Noted | undefined;
}

/**
 * Runs a program of this folder, which is told its task and reports once. What it writes to the folder for temporary
 * files is gone with it. Never rejects for what it does.
 */
export async function inProcess<Report>(
  program: string,
  task: unknown,
  limits: Limits,
): Promise<Told<Report>> {
  const folder = mkdtempSync(join(temporary(), 'dms-operator-fuzz-'));
  try {
    const told = await ended<Report>([program, JSON.stringify(task)], folder, limits);
    return { ...told, noted: lastNoted(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In memory, where there is such a folder: some readers have every write wait for the disk. */
function temporary(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

function ended<Report>(
  [program, task]: readonly [string, string],
  folder: string,
  { afterMs, heapMiB }: Limits,
): Promise<Omit<Told<Report>, 'noted'>> {
  return new Promise((resolve) => {
    const child = fork(join(import.meta.dirname, program), [task], {
      execArgv: [`--max-old-space-size=${heapMiB}`],
      env: { ...process.env, TMPDIR: folder },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let [lastWords, late] = ['', false];
    let report: Report | undefined;
    child.on('message', (message) => (report = message as Report));
    child.stderr?.on('data', (chunk) => (lastWords = `${lastWords}${String(chunk)}`.slice(-LAST_WORDS)));
    const timer = setTimeout(() => (late = child.kill('SIGKILL')), afterMs);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const end = late ? `was not done after ${afterMs} ms` : `ended with ${signal ?? code}`;
      resolve({ report, ending: `the process ${end}\n${lastWords}` });
    });
  });
}

/** Characters of what a process says as it ends: what V8 tells of a heap that is full, or the stack of an error. */
const LAST_WORDS = 16 * 1024;
