/** Licences that permit their code in our bundle, since they only ask for their text. */
export const GIVEN_AWAY: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
]);

/** Licences of dependencies that a checkout contains and the bundle does not; they are permissive too. */
export const INSTALLED: ReadonlySet<string> = new Set([...GIVEN_AWAY, 'Python-2.0', 'PSF-2.0']);

/** Licences of tools that only builds and tests use. */
export const TOOLS: ReadonlySet<string> = new Set([
  ...INSTALLED,
  'MPL-2.0',
  'MIT AND OFL-1.1',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
]);
