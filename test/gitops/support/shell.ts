import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '../../docs/support.ts';
import type { TemporaryFolder } from '../../support/temporary-folder.ts';

/** The shell text of a command that runs our program from the checkout. */
export const OUR_PROGRAM = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'src', 'main.ts')}' "$@"\n`;

/** Creates commands that scripts find before those of the machine, by name. */
export function addCommands(folder: TemporaryFolder, commands: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(commands)) chmodSync(folder.write(`bin/${name}`, text), 0o755);
}

/** The compile cache of programs, which halves the start time. Not a setting of ours. */
export const COMPILED = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };

/** Runs lines in a folder as a job does: the first failure ends it. */
export function runInShell(
  text: string,
  folder: TemporaryFolder,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly out: string }> {
  const path = [folder.at('bin'), process.env['PATH']].join(delimiter);
  const options = { cwd: folder.path, env: { PATH: path, HOME: folder.path, ...COMPILED, ...variables } };
  return new Promise((resolve) => {
    execFile('bash', ['-e', '-o', 'pipefail', '-c', text], options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), out: `${stdout}${stderr}` });
    });
  });
}
