import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A browser that opens an address. */
export interface OpenedBrowser {
  /** Removes the file that contains the address. */
  close(): Promise<void>;
}

/** The program that opens a file in the user's default application, by system. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/**
 * Opens an address in the user's browser; returns undefined if there is none. Every user of a machine may read the
 * arguments of a program. Therefore the address, which contains a token, is passed in a file that only this user can
 * read.
 */
export async function openBrowser(
  url: string,
  { hasDisplay }: { readonly hasDisplay: boolean },
): Promise<OpenedBrowser | undefined> {
  const opener = OPENERS[platform()];
  if (opener === undefined || (platform() === 'linux' && !hasDisplay)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'dms-operator-console-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = join(folder, 'console.html');
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>dms-operator</title>\n`;
  await writeFile(file, page, { mode: 0o600 });
  const [program, ...words] = opener;
  const started = Promise.withResolvers<boolean>();
  const child = spawn(program, [...words, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.once('spawn', () => started.resolve(true));
  child.once('error', () => started.resolve(false));
  child.unref();
  if (await started.promise) return { close: remove };
  await remove();
  return undefined;
}
