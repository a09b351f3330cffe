import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { noteFolder } from './leaks/told.ts';

/** A folder that is removed at the end of the test. */
export interface TemporaryFolder {
  readonly path: string;
  /** Returns the path of a name in the folder. */
  at(name: string): string;
  /** Writes a file that its owner alone can read, and creates its folders. Returns its path. */
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  remove(name: string): void;
}

/** Creates a folder for the running test, with these files. */
export function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'dms-operator-test-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  const at = (name: string): string => join(path, name);
  const own = noteFolder(path);
  const folder: TemporaryFolder = {
    path,
    at,
    write(name, content) {
      mkdirSync(dirname(at(name)), { recursive: true, mode: 0o700 });
      writeFileSync(at(name), content, { mode: 0o600 });
      own.add(at(name));
      return at(name);
    },
    read: (name) => readFileSync(at(name), 'utf8'),
    remove: (name) => rmSync(at(name), { recursive: true, force: true }),
  };
  for (const [name, content] of Object.entries(files)) folder.write(name, content);
  return folder;
}
