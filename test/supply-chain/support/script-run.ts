import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../docs/support.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The effects of a workflow script. */
export interface ScriptRun {
  /** Every call of a stand-in, as words separated by spaces. */
  readonly calls: readonly string[];
  /** The outputs for later steps. */
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * Runs a script as the host of the repository does, in the folder of the project unless another is given, with stand-
 * ins for programs: each records its arguments and runs its lines of shell. Throws if the script fails.
 */
export async function ranScript(
  script: string,
  variables: Readonly<Record<string, string>>,
  standIns: Readonly<Record<string, string>>,
  cwd: string = ROOT,
): Promise<ScriptRun> {
  const folder = temporaryFolder();
  for (const [name, body] of Object.entries(standIns)) {
    const note = `printf '%s\\n' "${name} $*" >> '${folder.at('calls')}'`;
    await chmod(folder.write(`bin/${name}`, `#!/bin/sh\n${note}\n${body}\n`), 0o755);
  }
  const env = {
    ...variables,
    PATH: `${folder.at('bin')}${delimiter}${process.env['PATH']}`,
    GITHUB_OUTPUT: folder.at('outputs'),
  };
  const words = ['--noprofile', '--norc', '-eo', 'pipefail', folder.write('script', script)];
  await promisify(execFile)('bash', words, { cwd, env });
  const lines = (name: string): readonly string[] =>
    existsSync(folder.at(name)) ? folder.read(name).trimEnd().split('\n') : [];
  return {
    calls: lines('calls'),
    outputs: Object.fromEntries(lines('outputs').map((line) => line.split(/=(.*)/s, 2))),
  };
}
