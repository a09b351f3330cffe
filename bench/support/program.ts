import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryBundle } from '../../test/support/bundle/bundle.ts';

const LINE_LIMIT_MS = 30_000;

/** The program that is measured. */
export interface Program {
  /** A folder for files of the benchmark, gone with the program. */
  readonly folder: string;
  /** Starts it. `startMs` is the moment just before, by the clock that every process of the machine shares. */
  start(words: readonly string[], how?: StartOptions): Running;
  remove(): Promise<void>;
}

/** Options for starting the program, beside its arguments. */
export interface StartOptions {
  /** Flags for Node.js. */
  readonly nodeWords?: readonly string[];
  /** Variables beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The program as a process. */
export interface Running {
  readonly startMs: number;
  readonly pid: number;
  /** The lines that it has printed so far, on either stream. */
  readonly lines: readonly string[];
  /** Resolves with the first line that holds `text`; rejects when it ends before, or 30 s pass. */
  line(text: string): Promise<string>;
  /** Resolves when it ended by itself, with milliseconds from start to end; rejects for a code that is not 0. */
  ended(): Promise<number>;
  /** Asks it to end, and waits; resolves with the milliseconds that it took. */
  stop(): Promise<number>;
  /** Ends it as the kernel does when memory is short, and waits. */
  kill(): Promise<void>;
}

/** Takes a program that is there, or builds the bundle that is measured: what users run, never an older one. */
export async function prepareProgram(given: string | undefined): Promise<Program> {
  const bundle = given === undefined ? await temporaryBundle() : undefined;
  const file = given ?? bundle?.program ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'dms-operator-bench-'));
  return {
    folder,
    start: (words, how = {}) => started(file, words, how),
    async remove() {
      await rm(folder, { recursive: true, force: true });
      await bundle?.remove();
    },
  };
}

function started(
  file: string,
  words: readonly string[],
  { nodeWords = [], variables = {} }: StartOptions,
): Running {
  const startMs = Date.now();
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeWords, file, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  const exit = once(child, 'exit').then(([code]) => ({
    code: code as number | null,
    ms: performance.now() - began,
  }));
  return {
    startMs,
    pid: child.pid ?? 0,
    lines,
    line: (text) => lineWith(text, child, lines),
    async ended() {
      const { code, ms } = await exit;
      if (code !== 0)
        throw new Error(`dms-operator ${words.join(' ')} ended with ${code}:\n${lastOf(lines)}`);
      return ms;
    },
    async stop() {
      const askedMs = performance.now();
      child.kill('SIGTERM');
      await exit;
      return performance.now() - askedMs;
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function lineWith(text: string, child: ChildProcess, lines: readonly string[]): Promise<string> {
  const endMs = Date.now() + LINE_LIMIT_MS;
  for (;;) {
    const found = lines.find((line) => line.includes(text));
    if (found !== undefined) return found;
    if (child.exitCode !== null || Date.now() > endMs) {
      throw new Error(`the program never printed ${JSON.stringify(text)}:\n${lastOf(lines)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function lastOf(lines: readonly string[]): string {
  return lines.slice(-20).join('\n');
}
