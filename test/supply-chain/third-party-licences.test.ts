import { describe, expect, test } from 'vitest';
import { licencesOf } from '../../scripts/third-party-licences.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Returns the text for a package of version 1.0.0 with these files. */
async function told(license: string | undefined, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = 'node_modules/@b/a';
  const inFolder = Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]);
  const { path } = temporaryFolder({ [`${folder}/package.json`]: '{}', ...Object.fromEntries(inFolder) });
  return await licencesOf(path, [{ folder, name: '@b/a', version: '1.0.0', license, imports: [] }]);
}

describe('the licence text of a third-party package', () => {
  test('is its licence file', async () => {
    expect(await told('MIT', { 'LICENSE.md': 'The MIT License\n', 'README.md': 'more' })).toBe(
      '@b/a 1.0.0 (MIT)\n\nThe MIT License\n',
    );
  });

  test.each(['NOTICE', 'NOTICE.txt', 'Notice.md'])('includes its notice file %s', async (file) => {
    const files = { LICENSE: 'Apache License', [file]: 'Copyright 2026 A\n\nIncludes B.\n' };
    expect(await told('Apache-2.0', files)).toBe(
      '@b/a 1.0.0 (Apache-2.0)\n\nApache License\n\nNOTICE of @b/a:\n\nCopyright 2026 A\n\nIncludes B.\n',
    );
  });

  test('includes every text if there are several, in a fixed order', async () => {
    const files = { 'LICENSE-MIT': 'one', COPYING: 'other', 'licenses/x.txt': 'of something else' };
    expect(await told('MIT', files)).toBe('@b/a 1.0.0 (MIT)\n\nother\n\none\n');
  });

  test('is the name of its licence if it has no text', async () => {
    expect(await told('ISC', { 'README.md': 'more' })).toBe(
      '@b/a 1.0.0 (ISC)\n\n(licence ISC; the package carries no text)\n',
    );
  });

  test.each(['GPL-3.0-only', undefined])(
    'is empty under a licence that is not accepted: %s',
    async (license) => {
      await expect(told(license, { LICENSE: 'text' })).rejects.toThrow(
        `@b/a 1.0.0 has the licence ${license ?? 'none'}, which is not on the accepted list`,
      );
    },
  );
});
