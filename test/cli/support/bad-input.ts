import { Command } from 'commander';
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run } from './terminal.ts';

/** A text that no output may contain. */
export const SECRET = 'hunter2';
/** A valid manifest. */
export const GOOD = deploymentYaml('a');
/** More than the limit of any file: 50 MB. */
export const LARGE = Buffer.alloc(50 * 1024 * 1024, '#');
/** Aliases that expand to a thousand million texts. */
export const BOMB = Array.from({ length: 9 }, (_, n) =>
  n === 0
    ? `a0: &a0 [${SECRET}]`
    : `a${n}: &a${n} [${Array(10)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
).join('\n');

/** Unusable files and the error about them. */
export interface Bad {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Absent: `file` in the folder. */
  readonly path?: string;
  /** The reported line, after the path. */
  readonly says: RegExp;
}

function listing(path: string): ReadonlySet<string> {
  return new Set(readdirSync(path, { recursive: true, encoding: 'utf8' }));
}

/** Runs a command on files; `$` in its words is their folder. Fails if the command adds or removes a file. */
export async function runOn(files: Bad['files'], words: readonly string[], prepare?: (path: string) => void) {
  const folder = temporaryFolder(files);
  prepare?.(folder.path);
  const before = listing(folder.path);
  const { out, err, code } = await run(words.map((word) => word.replace('$', folder.path)));
  expect(listing(folder.path)).toEqual(before);
  const text = out + err;
  expect(text).not.toContain(SECRET);
  expect(text).not.toMatch(/\n?\s+at \S+ ?\(?\S*:\d+:\d+/);
  return { out, err, code, text: text.replaceAll(`${folder.path}/`, '') };
}

/** Returns the names of the commands that have a flag. */
export function commandsWith(flag: string): readonly string[] {
  const program = new Command();
  for (const command of COMMANDS) command.addTo(program, () => undefined);
  return program.commands
    .filter(({ options }) => options.some(({ long }) => long === flag))
    .map((command) => command.name());
}
