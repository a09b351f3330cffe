import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';
import { pages, textOf } from './support.ts';

const OLDEST = Number(packageFile.engines.node.replace(/^>=/, ''));
const NEEDED = `Node.js ${OLDEST} or newer`;

/** Starts the bundle on a Node.js that claims this version, so that its check sees it. */
async function started(version: string): Promise<{ readonly code: number; readonly text: string }> {
  const program = await sharedBundle();
  const told = JSON.stringify({ value: { ...process.versions, node: version } });
  const before = `data:text/javascript,Object.defineProperty(process, 'versions', ${told})`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', encodeURI(before), program, '--version'],
      (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` });
      },
    );
  });
}

describe('the oldest Node.js', { timeout: BUILD_LIMIT_MS }, () => {
  test.each(['README.md', 'CONTRIBUTING.md', 'docs/getting-started.md', 'manifests/krew/dms.yaml'])(
    'is named in %s',
    (page) => {
      expect(textOf(page)).toContain(NEEDED);
    },
  );

  test.each(pages())('is the only required one in %s', (page) => {
    const named = [...textOf(page).matchAll(/Node\.js \d+\S* (?:or newer|with npm)/g)];
    expect(named.map(([words]) => words).filter((words) => words !== NEEDED)).toEqual([]);
  });

  test('is the one that all builds and tests use', () => {
    expect(packageFile.devDependencies.node).toMatch(new RegExp(`^${OLDEST}\\.`));
    expect(textOf('scripts/build.ts')).toContain(`target: 'node${OLDEST}'`);
    expect(textOf('Dockerfile')).toContain(`BUILD_IMAGE=node:${OLDEST}-`);
  });

  test.each([`${OLDEST - 1}.99.0`, `${OLDEST - 4}.20.2`])(
    'is required by the program when it runs on %s',
    async (version) => {
      expect(await started(version)).toEqual({
        code: 1,
        text: `dms-operator: this is Node.js ${version}; it needs ${NEEDED}\n`,
      });
    },
  );

  test.each([`${OLDEST}.0.0`, `${OLDEST + 2}.1.0`])(
    'is not required if the version is this or later: %s',
    async (version) => {
      expect(await started(version)).toEqual({ code: 0, text: `${packageFile.version}\n` });
    },
  );
});
