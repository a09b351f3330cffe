import { expect, test } from 'vitest';
import { checkManifests } from '../../src/compose/session/check-manifests.ts';
import { manifestsOn } from './support/manifests-on.ts';
import { pages } from './support.ts';

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
