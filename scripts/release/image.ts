import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The image of a release, in the registry that it was pushed to. */
export interface ReleasedImage {
  /** Registry and name: `ghcr.io/owner/repository`. */
  readonly repository: string;
  /** `sha256:` and what follows; absent where the manifests name the image by its tag alone. */
  readonly digest: string | undefined;
}

const IMAGE =
  /^(?<repository>[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+)(?:@(?<digest>sha256:[0-9a-f]{64}))?$/u;

/** Reads `REPOSITORY` or `REPOSITORY@DIGEST`; its tag is always the version. Throws for anything else. */
export function releasedImage(text: string): ReleasedImage {
  const { repository, digest } = IMAGE.exec(text)?.groups ?? {};
  if (repository === undefined) {
    throw new Error(`--image: "${text}" is not REGISTRY/NAME in small letters, or that with @sha256:DIGEST`);
  }
  return { repository, digest };
}

/**
 * Makes the manifests and the chart in a copy of manifests/ name the image of a version; in the repository they name
 * one that no registry has. Throws if there is nothing to change.
 */
export async function nameImage(manifests: string, image: ReleasedImage, version: string): Promise<void> {
  const { repository, digest } = image;
  const reference = `${repository}:${version}${digest === undefined ? '' : `@${digest}`}`;
  await changed(join(manifests, 'install/controller.yaml'), /(?<= image: )dms-operator:\S+$/mu, reference);
  // The chart names the tag of its version. A digest among its values would keep the old image in an upgrade that
  // reuses values, and override a tag that somebody sets.
  const chart = join(manifests, 'chart');
  await changed(join(chart, 'Chart.yaml'), /(?<= image: )dms-operator:\S+$/mu, `${repository}:${version}`);
  await changed(
    join(chart, 'values.yaml'),
    /(?<=^image:\n(?: .*\n)*? {2}repository: )dms-operator$/mu,
    repository,
  );
  await changed(
    join(chart, 'values.yaml'),
    /(?<=^# Where the image is)\..*$/mu,
    ': the one of this release.',
  );
  await changed(join(chart, 'README.md'), /(?<=`image\.repository` +\| `)dms-operator(?=`)/u, repository);
}

async function changed(file: string, find: RegExp, put: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!find.test(text)) throw new Error(`${file} has nothing like ${String(find)}`);
  await writeFile(file, text.replace(find, put));
}
