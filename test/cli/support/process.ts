import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Starts the program as a separate process, which ends with the test at the latest. */
export function start(
  words: readonly string[],
  { main = MAIN, first = [] as readonly string[], environment = {} } = {},
) {
  const child = spawn(process.execPath, [...first, main, ...words], {
    stdio: 'pipe',
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.err += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({
    ...printed,
    code: code as number | null,
    signal: signal as string | null,
  }));
  return { child, printed, ended };
}
