import { parseArgs } from 'node:util';
import { type ReleasedImage, releasedImage } from './image.ts';

/** What `npm run release` was told. */
export interface ReleaseOptions {
  readonly outdir: string;
  /** The heading of the changelog under which the release is told of. */
  readonly heading: string;
  /** Where the project is, as GitHub has it; absent: no manifest for krew is made, and no page leads there. */
  readonly repository: string | undefined;
  /** What manifests and chart name; absent: the image that no registry has, as in the repository. */
  readonly image: ReleasedImage | undefined;
}

/**
 * Reads `--outdir FOLDER`, `--tag vX.Y.Z`, `--repository ADDRESS` and `--image REPOSITORY[@DIGEST]`. Throws where the tag is not
 * that of the version; without a tag it is a trial, told of as what is unreleased.
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
