import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';
import { layerOf, putImageTree, rootFolder, runScript } from './support/image-tree.ts';

describe('what the image has beyond its base', () => {
  const root = rootFolder();
  let dist = '';

  beforeAll(async () => {
    dist = dirname(await sharedBundle());
    await putImageTree(root, dist);
  }, BUILD_LIMIT_MS);

  test('is the program and Node.js, with the licences of both and a bill of materials', () => {
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(root.length));
    expect(paths.filter((path) => !/\/(?:chunks|manifests)\//.test(path)).toSorted()).toEqual([
      '/opt/dms-operator/LICENSE',
      '/opt/dms-operator/NODE-LICENCES.txt',
      '/opt/dms-operator/THIRD-PARTY-LICENCES.txt',
      '/opt/dms-operator/dms-operator.mjs',
      '/opt/dms-operator/sbom.cdx.json',
      '/usr/local/bin/node',
    ]);
  });

  test('belongs to no moment, and nobody but root may change it', () => {
    for (const path of ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
      const { mode, mtimeMs } = statSync(join(root, path));
      expect({ path, writable: mode & 0o022, mtimeMs }).toEqual({ path, writable: 0, mtimeMs: 0 });
    }
  });

  test('belongs to the moment of its commit where that is told', async () => {
    const again = rootFolder(onTestFinished);
    await putImageTree(again, dist, { SOURCE_DATE_EPOCH: '1700000000' });
    const times = (await layerOf(again)).map((line) => line.split(' ')[3]);
    expect(new Set(times)).toEqual(new Set(['1700000000000']));
  });

  test(
    'is the same when it is built again, no matter who builds it',
    { timeout: BUILD_LIMIT_MS },
    async () => {
      const [built, again] = [rootFolder(onTestFinished), join(rootFolder(onTestFinished), 'image')];
      const other = { TZ: 'Pacific/Auckland', LC_ALL: 'C' };
      await runScript(['scripts/build.ts', '--outdir', built], other, '077');
      await runScript(['scripts/image-root.ts', again, '--dist', built], other, '077');
      expect(await layerOf(again)).toEqual(await layerOf(root));
    },
  );
});
