/** Licences whose code may be part of what we give away, since they ask for no more than their text. */
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

/** What dependencies of the program bring into a checkout beside that: not in the bundle, and permissive too. */
export const INSTALLED: ReadonlySet<string> = new Set([...GIVEN_AWAY, 'Python-2.0', 'PSF-2.0']);

/** Licences of tools that stay on the machine of whoever builds and tests. */
export const TOOLS: ReadonlySet<string> = new Set([
  ...INSTALLED,
  'MPL-2.0',
  'MIT AND OFL-1.1',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
]);
