import { posix } from 'node:path';

/** The members of a checkout's package.json that the published one keeps. */
interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

/**
 * Makes the package.json that is published. It has no dependencies, since all of them are in the bundle, and no
 * scripts. `repository` is the address of the project, if there is one.
 */
export function publishedPackageFile(packageFile: PackageFile, repository: string | undefined): object {
  const { name, version, description, license, engines, bin } = packageFile;
  const places =
    repository === undefined
      ? {}
      : { repository: { type: 'git', url: `git+${repository}.git` }, homepage: repository };
  return { name, version, description, license, ...places, engines, bin };
}

/** A link, or an image, that leads to another file of the project. */
const BESIDE = /(?<image>!?)\[(?<words>[^\]]*)\]\((?<path>(?!https?:|mailto:|#)[^)\s]+)\)/gu;

/**
 * Makes the text of a page (`page` is its path) for the package, which has few of the files to which the page links:
 * the links lead to the tag in the repository on GitHub. Without a repository, links to files that `isPacked` does
 * not find in the package become plain text.
 */
export function publishedPage(
  page: string,
  text: string,
  about: {
    readonly repository: string | undefined;
    readonly version: string;
    readonly isPacked: (path: string) => boolean;
  },
): string {
  const { repository, version, isPacked } = about;
  return text.replaceAll(BESIDE, (link, image: string, words: string, target: string) => {
    const path = posix.join(posix.dirname(page), target);
    if (repository !== undefined) {
      return `${image}[${words}](${repository}/${image === '' ? 'blob' : 'raw'}/v${version}/${path})`;
    }
    return isPacked(path.replace(/#.*$/u, '')) ? link : words;
  });
}
