import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { noteTold } from '../leaks/told.ts';
import { noteMissed } from '../watches/missed-events.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');
const READY_LIMIT_MS = 30_000;

/** No process outlives this one, however this one ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A controller as people run it, in a separate process. */
export interface OperatorProcess {
  readonly pid: number;
  /** Null while it runs, and after a signal. */
  readonly exitCode: number | null;
  /** All output so far, one entry per line. */
  readonly lines: readonly string[];
  /** Resolves when a line contains `text`. Rejects if the process ends before or 30 s pass. */
  said(text: string): Promise<string>;
  /** Resolves with its exit code when it has ended, for any reason. */
  readonly ended: Promise<number | null>;
  /** Sends SIGSTOP. The process stands still until it is continued or killed. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
  /** Kills the process with kill -9, and waits for its end. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Returns the flags of `dms-operator run` for one namespace of a cluster: JSON logs, and metrics at any free port.
 */
export function controllerArgs(about: {
  readonly kubeconfigFile: string;
  readonly watched: readonly string[];
  readonly operatorNamespace: string;
  readonly logLevel?: 'debug' | 'info';
  /** False: a single controller, which waits for no Lease after a kill. */
  readonly leaderElect?: boolean | undefined;
}): readonly string[] {
  return [
    ...['run', '--kubeconfig', about.kubeconfigFile],
    ...about.watched.flatMap((namespace) => ['--namespace', namespace]),
    ...['--operator-namespace', about.operatorNamespace],
    `--leader-elect=${about.leaderElect ?? false}`,
    ...['--metrics-address', '127.0.0.1:0', '--log-format', 'json'],
    ...['--log-level', about.logLevel ?? 'debug'],
  ];
}

/** Returns the current metrics of a controller that serves them. */
export async function metricsOf(operator: Pick<OperatorProcess, 'said'>): Promise<string> {
  const { port } = JSON.parse(await operator.said('metrics and health are served')) as { port: number };
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

/** Starts `dms-operator ARGS` from source, or from a given bundle, and keeps its output. */
export function startOperator(
  args: readonly string[],
  main = MAIN,
  nodeArgs: readonly string[] = [],
  where: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): OperatorProcess {
  return operatorOf(
    spawn(process.execPath, [...nodeArgs, main, ...args], { ...where, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** Returns the controller of a started process, however it was started, and keeps its output. */
export function operatorOf(child: ChildProcessByStdio<null, Readable, Readable>): OperatorProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      noteTold('the output of a process', line);
      if (line.includes('watch events were lost')) noteMissed(1);
      lines.push(line);
    });
  }
  return {
    pid: child.pid ?? 0,
    get exitCode() {
      return child.exitCode;
    },
    lines,
    ended: once(child, 'exit').then(([code]) => code as number | null),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    said: (text) => said(child, lines, text),
    kill: async () => {
      await ended(child, 'SIGKILL');
    },
    stop: () => ended(child, 'SIGTERM'),
  };
}

async function ended(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
  return child.exitCode;
}

async function said(child: ChildProcess, lines: readonly string[], text: string): Promise<string> {
  const endMs = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const line = lines.find((candidate) => candidate.includes(text));
    if (line !== undefined) return line;
    if (child.exitCode !== null || Date.now() > endMs) {
      throw new Error(`the controller never said ${JSON.stringify(text)}:\n${lines.slice(-40).join('\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
