import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageFile from '../../package.json' with { type: 'json' };
import { linkChart } from './chart-links.ts';
import { nameImage, type ReleasedImage } from './image.ts';
import { publishedPackageFile, publishedPage } from './npm-package.ts';

/** The pages that people read where a package and a chart are published. */
const PAGES = ['README.md', 'manifests/chart/README.md'];

/**
 * Makes the npm package in an empty folder: the files that package.json names, LICENSE, and package.json and README as they
 * are published. Manifests and chart in it name the image, and the chart its repository, where these are given; `dist` is where the bundle was built.
 */
export async function stage(about: {
  readonly from: string;
  readonly dist: string;
  readonly to: string;
  readonly image: ReleasedImage | undefined;
  readonly repository: string | undefined;
}): Promise<void> {
  const { from, dist, to, image, repository } = about;
  const { files, version } = packageFile;
  await cp(dist, join(to, 'dist'), { recursive: true });
  for (const path of [...files.filter((file) => file !== 'dist'), 'LICENSE', 'README.md']) {
    await cp(join(from, path), join(to, path), { recursive: true });
  }
  if (image !== undefined) await nameImage(join(to, 'manifests'), image, version);
  if (repository !== undefined) await linkChart(join(to, 'manifests/chart/Chart.yaml'), repository, version);
  const published = publishedPackageFile(packageFile, repository);
  await writeFile(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  const isPacked = (path: string): boolean => existsSync(join(to, path));
  for (const page of PAGES) {
    const text = await readFile(join(to, page), 'utf8');
    await writeFile(join(to, page), publishedPage(page, text, { repository, version, isPacked }));
  }
}
