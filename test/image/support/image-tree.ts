import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { ROOT } from '../../docs/support.ts';

/** A folder into which the user of the pod may look, for a whole test file or until something else is over. */
export function rootFolder(whenOver: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'dms-operator-root-'));
  chmodSync(folder, 0o755);
  whenOver(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Puts what the image has beyond its base into a folder, with the program that was built in `dist`. */
export async function putImageTree(root: string, dist: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  await runScript(['scripts/image-root.ts', root, '--dist', dist], env);
}

/** Runs a script of the project as somebody would whose new files have these modes. */
export async function runScript(
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  umask = '022',
): Promise<void> {
  const command = ['-c', `umask ${umask} && exec "$0" "$@"`, process.execPath, ...words];
  await promisify(execFile)('sh', command, { cwd: ROOT, env: { ...process.env, ...env } });
}

/** Everything that a layer keeps of the files of a folder, and of itself: kind and mode, owner, time, content and name. */
export async function layerOf(root: string): Promise<readonly string[]> {
  const paths = ['.', ...(await readdir(root, { recursive: true }))].toSorted();
  return await Promise.all(
    paths.map(async (path) => {
      const stats = await lstat(join(root, path));
      const content = stats.isFile() ? await readFile(join(root, path)) : '';
      const checksum = createHash('sha256').update(content).digest('hex');
      return [stats.mode.toString(8), stats.uid, stats.gid, stats.mtimeMs, checksum, path].join(' ');
    }),
  );
}
