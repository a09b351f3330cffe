import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { ROOT, textOf } from '../docs/support.ts';

const listed = new Map(
  textOf('scripts/node.sha256')
    .trim()
    .split('\n')
    .map((line) => line.split('  ', 2).toReversed() as [path: string, sum: string]),
);
const binary = (platform: string): string => `node_modules/node/node_modules/node-${platform}/bin/node`;

test('the Node.js of the image has a checksum for each platform of the image', () => {
  expect([...listed.keys()]).toEqual([binary('linux-arm64'), binary('linux-x64')]);
});

test('the Node.js that runs the tests is the one of the image, by its checksum', ({ skip }) => {
  const wanted = listed.get(binary(`${process.platform}-${process.arch}`));
  skip(wanted === undefined, `the image is not built for ${process.platform} ${process.arch}`);
  const installed = createHash('sha256').update(readFileSync(join(ROOT, 'node_modules/node/bin/node')));
  expect(installed.digest('hex')).toBe(wanted);
  expect(process.versions.node).toBe(packageFile.devDependencies.node);
});
