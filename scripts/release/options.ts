import { parseArgs } from 'node:util';
import { type ReleasedImage, releasedImage } from './image.ts';

/** The options of `npm run release`. */
export interface ReleaseOptions {
  readonly outdir: string;
  /** The heading of the release in the changelog. */
  readonly heading: string;
  /** The address of the project on GitHub; absent: there is no manifest for krew, and no page links there. */
  readonly repository: string | undefined;
  /** The image in manifests and chart; absent: the image of the repository, which no registry has. */
  readonly image: ReleasedImage | undefined;
}

/**
 * Reads `--outdir FOLDER`, `--tag vX.Y.Z`, `--repository ADDRESS` and `--image REPOSITORY[@DIGEST]`. Throws if the
 * tag is not that of the version. Without a tag the release is a trial, with the unreleased section of the changelog.
 */
export function releaseOptions(words: readonly string[], version: string): ReleaseOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      outdir: { type: 'string' },
      tag: { type: 'string' },
      repository: { type: 'string' },
      image: { type: 'string' },
    },
  });
  const { outdir = 'release', tag, repository, image } = values;
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`the tag is ${tag}, and the version in package.json ${version}`);
  }
  return {
    outdir,
    heading: tag === undefined ? 'Unreleased' : version,
    repository,
    image: image === undefined ? undefined : releasedImage(image),
  };
}
