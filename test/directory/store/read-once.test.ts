import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { openDirectory } from '../../../src/directory/store/directory-adapter.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml } from '../support/manifests.ts';
import { openFolder } from '../support/open.ts';

const A: Key = { kind: 'Deployment', namespace: 'team-a', name: 'a' };

describe('a folder that is read once', () => {
  it('stays as the read found it', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const { adapter, clock, store, watch } = await openFolder(folder.path, { once: true });
    await watch();
    folder.write('a.yaml', deploymentYaml('a', { image: 'registry.example.com/agent:2' }));
    folder.write('b.yaml', deploymentYaml('b'));
    await clock.advance(60_000);
    expect(adapter.list()).toHaveLength(1);
    expect((await store.get(A))?.spec.sourceRevisionConfig?.imageURI).toBe('registry.example.com/agent:1');
  });

  it.each([
    { name: 'is pruned with its first reading', other: deploymentYaml('b'), deleting: true },
    { name: 'is not pruned where that has an error', other: 'a: [', deleting: false },
    { name: 'is not pruned where that has nothing at all', other: '', deleting: false },
  ])('$name', async ({ other, deleting }) => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const first = await openFolder(folder.path);
    const resource = await first.store.get(A);
    if (resource === undefined) throw new Error('the resource should be there');
    await first.store.claim(resource);
    await first.stop();
    folder.remove('a.yaml');
    folder.write('b.yaml', other);
    const { adapter } = await openFolder(folder.path, { once: true, prune: true });
    const found = adapter
      .list()
      .map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]);
    expect(found.filter(([, gone]) => gone)).toEqual(deleting ? [['a', true]] : []);
  });

  it('may come from standard input', async () => {
    const adapter = await openDirectory(
      { paths: ['-'], stateFile: temporaryFolder().at('state.json'), prune: false, once: true },
      {
        clock: new VirtualClock(),
        logger: new MemoryLogger(),
        randomBytes,
        digester: hmacDigester,
        readStdin: async () => Buffer.from(deploymentYaml('a')),
      },
    );
    onTestFinished(() => adapter.stop());
    expect(adapter.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});
