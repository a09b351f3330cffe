import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastNoted, type Noted } from './black-box.ts';

/** Limits of a process. */
export interface Limits {
  /** The largest heap. The process ends above it. */
  readonly heapMiB: number;
  /** The time after which the process is killed. */
  readonly afterMs: number;
}

/** Twice the need of the largest input in the most demanding reader, and a time that only a hanging reader exceeds. */
export const LIMITS: Limits = { heapMiB: 256, afterMs: 150_000 };

/** The report of a process, and its end. */
export interface Told<Report> {
  readonly report: Report | undefined;
  /** Describes the end for people, with its last lines. */
  readonly ending: string;
  /** The last input in its black box. */
  readonly noted: Noted | undefined;
}

/**
 * Runs a program of this folder, which receives its task and reports once. Removes its temporary files. Never rejects
 * because of the program.
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

/** Returns a folder in memory if one exists, since some readers wait for the disk after every write. */
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

/**
 * The number of characters of a process's last output to keep: the report of V8 about a full heap, or the stack of an
 * error.
 */
const LAST_WORDS = 16 * 1024;
