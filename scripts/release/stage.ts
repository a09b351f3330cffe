import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { nameImage, type ReleasedImage } from './image.ts';

/** What is packed as it stands in the repository, but for the name of the image. */
const FOLDERS = ['crds', 'manifests'];

/**
 * Copies CRDs, manifests, and these other files of the project into a folder from which they are packed. There the
 * manifests and the chart name the image, where one is given.
 */
export async function stage(about: {
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
  readonly version: string;
  readonly image: ReleasedImage | undefined;
}): Promise<void> {
  const { from, to, files, version, image } = about;
  const others = files.filter((file) => !FOLDERS.some((folder) => file.startsWith(`${folder}/`)));
  for (const path of [...FOLDERS, ...others]) {
    await cp(join(from, path), join(to, path), { recursive: true });
  }
  if (image !== undefined) await nameImage(join(to, 'manifests'), image, version);
}
