import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Packs entries of a folder as .tar.gz with GNU tar: the same files always make the same archive, on any machine at
 * any time. `prefix` precedes their paths in the archive.
 */
export async function packed(about: {
  readonly archive: string;
  readonly folder: string;
  readonly entries: readonly string[];
  readonly time: Date;
  readonly prefix?: string;
}): Promise<void> {
  const { archive, folder, entries, time, prefix = '' } = about;
  const words = [
    ...['--create', '--file', archive, '--use-compress-program', 'gzip --no-name --best'],
    ...['--sort=name', '--format=ustar', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'],
    ...[`--mtime=@${time.getTime() / 1000}`, '--directory', folder],
    ...(prefix === '' ? [] : [`--transform=s,^,${prefix},`]),
  ];
  await promisify(execFile)('tar', [...words, '--', ...entries]);
}
