import { expect, test } from 'vitest';
import { checkManifests } from '../../src/compose/manifests.ts';
import { pages, textOf } from './support.ts';

/** Manifests of our kinds that a page shows. */
function manifestsOn(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^```yaml\n(?<yaml>[^]*?)^```$/gm)];
  const texts = blocks.map((block) => block.groups?.['yaml'] ?? '');
  return texts.filter((text) => text.includes('apiVersion: dms-operator.dev/'));
}

test.each(pages().filter((page) => manifestsOn(page).length > 0))(
  'the manifests on %s are valid',
  async (page) => {
    for (const manifest of manifestsOn(page)) {
      const { problems, usable } = await checkManifests(['-'], async () => Buffer.from(manifest));
      const documents = manifest.match(/^apiVersion: dms-operator\.dev\//gm)?.length;
      expect({ problems, usable }).toEqual({ problems: [], usable: documents });
    }
  },
);
