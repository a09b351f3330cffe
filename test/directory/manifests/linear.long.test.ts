import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { start } from '../../cli/support/process.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml } from '../support/manifests.ts';

const watch = (name: string): readonly string[] => [
  '--import',
  fileURLToPath(new URL(`../../support/watches/${name}.ts`, import.meta.url)),
];

/**
 * Creates a folder of `size` manifests, of which the first ones have another image than the service, and returns
 * `apply` over it.
 */
async function folderOf(size: number, changed: number) {
  const names = Array.from({ length: size }, (_, at) => `agent-${at}`);
  const { service, url } = await servedService(
    names.map((name) => ({ name, revisionConfig: { image_uri: 'registry.example.com/agent:1' } })),
  );
  const manifests = names.map((name, at) => [
    `${name}.yaml`,
    deploymentYaml(name, { image: `registry.example.com/agent:${at < changed ? 2 : 1}` }),
  ]);
  const folder = temporaryFolder({
    ...(Object.fromEntries(manifests) as Record<string, string>),
    'connection.yaml': connectionTo(url),
  });
  const apply = async (watching: string): Promise<number> => {
    const { code, err } = await start(['apply', '-f', folder.path, '--yes'], { first: watch(watching) })
      .ended;
    expect(code, err).toBe(0);
    return Number(/^[a-z ]+: (\d+)$/m.exec(err)?.[1]);
  };
  return { apply, sent: () => service.log.requests('patch').length };
}

describe('apply over a folder', { timeout: 120_000 }, () => {
  it('takes steps in proportion to its manifests where nothing is to be done', async () => {
    const steps: number[] = [];
    for (const size of [100, 200, 400]) {
      const { apply, sent } = await folderOf(size, 0);
      await apply('work-watch');
      steps.push(await apply('work-watch'));
      expect(sent()).toBe(0);
    }
    const [few = 0, more = 0, many = 0] = steps;
    // All three counts include the work that happens once, such as compiling the schemas.
    expect((many - more) / (more - few)).toBeLessThan(2 * 1.3);
  });

  it('writes in proportion to the changes, and not the whole state for each change', async () => {
    const written: number[] = [];
    for (const changed of [10, 40]) {
      const { apply, sent } = await folderOf(200, changed);
      written.push(await apply('written-watch'));
      expect(sent()).toBe(changed);
    }
    const [few = 0, many = 0] = written;
    expect((many - few) / 30).toBeLessThan(40_000);
  });
});
