import { parseArgs } from 'node:util';
import { type ReleasedImage, releasedImage } from './image.ts';

/** What `npm run release` was told. */
export interface ReleaseOptions {
  readonly outdir: string;
  /** The heading of the changelog under which the release is told of. */
  readonly heading: string;
  /** Where the files will be; absent: no manifest for krew is made. */
  readonly url: string | undefined;
  /** What manifests and chart name; absent: the image that no registry has, as in the repository. */
  readonly image: ReleasedImage | undefined;
}

/**
 * Reads `--outdir FOLDER`, `--tag vX.Y.Z`, `--url ADDRESS` and `--image REPOSITORY[@DIGEST]`. Throws where the tag is not
 * that of the version; without a tag it is a trial, told of as what is unreleased.
 */
export function releaseOptions(words: readonly string[], version: string): ReleaseOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      outdir: { type: 'string' },
      tag: { type: 'string' },
      url: { type: 'string' },
      image: { type: 'string' },
    },
  });
  const { outdir = 'release', tag, url, image } = values;
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(`the tag is ${tag}, and the version in package.json ${version}`);
  }
  return {
    outdir,
    heading: tag === undefined ? 'Unreleased' : version,
    url,
    image: image === undefined ? undefined : releasedImage(image),
  };
}
