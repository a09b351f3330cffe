#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import { type AskedOn, askOn } from './cli/terminal/ask.ts';
import { dispatch } from './cli/dispatch.ts';
import { errorText, wantsStack } from './cli/program/error-text.ts';
import { EXIT, Stopped, type Terminal } from './cli/terminal/terminal.ts';
import { environment } from './config.ts';

/** Ends the process at a second Ctrl-C or SIGTERM, when the first one is taking too long. */
function untilStopped(): AbortSignal {
  const stop = new AbortController();
  for (const by of ['SIGINT', 'SIGTERM'] as const) {
    process.on(by, () => {
      if (stop.signal.aborted) process.exit(by === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
      stop.abort(new Stopped(by));
    });
  }
  return stop.signal;
}

async function readStdin(maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Asks on standard error, so that standard output can go to a file. */
const askedOn: AskedOn = {
  input: process.stdin,
  output: process.stderr,
  interrupt: () => process.kill(process.pid, 'SIGINT'),
};

/** Returns the width of the output; a terminal that does not know its width reports 0. */
function widthOf({ columns }: { readonly columns: number }): number {
  return columns > 0 ? columns : 80;
}

/**
 * Ends the process when output fails. If a reader such as `head` has closed the pipe, that is no error; if the disk is
 * full, the output was lost.
 */
function endAt(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  writeSync(process.stderr.fd, `${program}: the output cannot be written (${error.code ?? error.message})\n`);
  process.exit(EXIT.failed);
}

// `kubectl dms` runs a program called kubectl-dms.
const words = process.argv.slice(2);
const program = basename(process.argv[1] ?? '') === 'kubectl-dms' ? 'kubectl dms' : 'dms-operator';

/**
 * Handles errors that no code caught, rejected promises included: the process prints one line and ends. The next
 * process finds every announced write in the status; to continue with a broken program would be worse.
 */
process.on('uncaughtException', (error) => {
  const stack = wantsStack(words, environment());
  writeSync(process.stderr.fd, `${errorText(error, program, stack)}\n`);
  process.exit(EXIT.failed);
});

process.stdout.on('error', endAt);
process.stderr.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);

const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  columns: process.stdout.isTTY ? widthOf(process.stdout) : Infinity,
  readStdin,
  ask:
    process.stdin.isTTY && process.stderr.isTTY
      ? (question, signal) => askOn(askedOn, question, signal)
      : undefined,
  environment: environment(),
  untilStopped,
  endNow: (code) => process.exit(code),
};

process.exitCode = await dispatch(words, program, terminal);
