import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { nameImage, releasedImage } from '../../scripts/release/image.ts';
import { ROOT } from '../docs/support.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const REPOSITORY = 'registry.example.com:5000/team/dms-operator';
const DIGEST = `sha256:${'0a'.repeat(32)}`;

/** Returns a copy of the manifests of the repository. */
function manifests(): TemporaryFolder {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'manifests'), folder.path, { recursive: true });
  return folder;
}

describe('the image of a release', () => {
  test('is named by every manifest with a controller, and by the chart', async () => {
    const folder = manifests();
    await nameImage(folder.path, releasedImage(`${REPOSITORY}@${DIGEST}`), '1.2.0');
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    const texts = files.filter((file) => statSync(folder.at(file)).isFile()).map((file) => folder.read(file));
    expect(texts.flatMap((text) => text.match(/\bimage: dms-operator\b.*/g) ?? [])).toEqual([]);
    expect(folder.read('install/controller.yaml')).toContain(
      ` image: ${REPOSITORY}:1.2.0@${DIGEST}\n          imagePullPolicy: `,
    );
    expect(parse(folder.read('chart/values.yaml'))).toMatchObject({
      image: { repository: REPOSITORY, tag: '', digest: '' },
    });
    expect(folder.read('chart/values.yaml')).not.toContain('No registry has it');
    expect(folder.read('chart/README.md')).toMatch(
      new RegExp(`^\\| \`image\\.repository\` +\\| \`${REPOSITORY}\` +\\|`, 'm'),
    );
  });

  test('may be named by its tag alone', async () => {
    const folder = manifests();
    await nameImage(folder.path, releasedImage(REPOSITORY), '1.2.0');
    expect(folder.read('install/controller.yaml')).toContain(` image: ${REPOSITORY}:1.2.0\n`);
  });

  test('fails if another value is already in place', async () => {
    const folder = manifests();
    const image = releasedImage(REPOSITORY);
    await nameImage(folder.path, image, '1.2.0');
    await expect(nameImage(folder.path, image, '1.2.0')).rejects.toThrow('controller.yaml has nothing like');
  });

  test.each([
    'dms-operator',
    'ghcr.io/Team/dms-operator',
    `${REPOSITORY}:1.2.0`,
    `${REPOSITORY}@sha256:0a`,
    `${REPOSITORY}@`,
    'registry.example.com/team/../other',
    '',
  ])('is not %j', (text) => {
    expect(() => releasedImage(text)).toThrow('is not REGISTRY/NAME in small letters');
  });
});
