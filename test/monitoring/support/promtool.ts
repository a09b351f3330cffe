import { execFile } from 'node:child_process';
import { useGoBinary } from '../../support/programs/go-program.ts';

/** The exit code of a promtool call, and its output. */
export interface Verdict {
  readonly code: number;
  readonly out: string;
}

/** Calls promtool with these arguments and this standard input. Never throws for an exit code. */
export type Promtool = (args: readonly string[], stdin?: string) => Promise<Verdict>;

/**
 * Provides promtool for the test file, built once per machine, which takes some minutes. If there is no Go, the tests
 * of the file are skipped with a message. Call it at the top of a file, and the returned function inside tests.
 */
export function usePromtool(): Promtool {
  const program = useGoBinary('promtool');
  return (args, stdin = '') =>
    new Promise((resolve) => {
      const child = execFile(program(), [...args], (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), out: `${stdout}${stderr}` });
      });
      // Some commands end before they have read it.
      child.stdin?.on('error', () => undefined).end(stdin);
    });
}
