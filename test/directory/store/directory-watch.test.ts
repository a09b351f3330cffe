import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { DirectoryWatch } from '../../../src/directory/store/directory-watch.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml } from '../support/manifests.ts';

it('a requested reading clears the error of the reading before it', async () => {
  const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
  const watch = await DirectoryWatch.start({
    ...{ paths: [folder.path], clock: systemClock, logger: new MemoryLogger(), randomBytes },
    digester: hmacDigester,
    onChange: () => undefined,
  });
  onTestFinished(() => watch.close());
  folder.write('.dms-operator/state.json', '{broken');
  await expect.poll(() => watch.trouble, { timeout: 5_000 }).toBeDefined();
  rmSync(folder.at('.dms-operator'), { recursive: true });
  await watch.refresh();
  expect(watch.trouble).toBeUndefined();
});
