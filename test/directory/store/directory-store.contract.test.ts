import { stringify } from 'yaml';
import { type Key, keyOf, keyText } from '../../../src/api/metadata.ts';
import { desiredStoreContract } from '../../contracts/desired-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml } from '../support/manifests.ts';
import { openFolder } from '../support/open.ts';

desiredStoreContract('a folder with pruning', async () => {
  const folder = temporaryFolder({
    'bystander.yaml': deploymentYaml('bystander', { namespace: 'elsewhere' }),
  });
  const opened = await openFolder(folder.path, { prune: true });
  await opened.watch();
  const fileOf = (key: Key): string => `${keyText(key).replaceAll('/', '.')}.yaml`;
  return {
    store: opened.store,
    async apply(manifest) {
      folder.write(fileOf(keyOf(manifest)), stringify(manifest));
      await opened.noticed();
    },
    async remove(key) {
      folder.remove(fileOf(key));
      await opened.pruned();
    },
    caughtUp: opened.noticed,
    stop: opened.stop,
  };
});
