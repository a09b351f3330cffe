/** Returns the section of a changelog for a version, or the unreleased one while the version has none. */
export function changesOf(changelog: string, version: string): string {
  return sectionIn(changelog, version) || sectionIn(changelog, 'Unreleased');
}

/**
 * Returns the section of a changelog under the heading of a version, or `Unreleased`. Throws if there is none, or if
 * it is empty.
 */
export function sectionOf(changelog: string, heading: string): string {
  const text = sectionIn(changelog, heading);
  if (text === '') throw new Error(`CHANGELOG.md says nothing under the heading ${heading}`);
  return `${text}\n`;
}

function sectionIn(changelog: string, heading: string): string {
  const found = changelog
    .split(/^## /mu)
    .slice(1)
    .find((section) => section.split('\n', 1)[0]?.replace(/[[\]]/gu, '').split(' ')[0] === heading);
  return found?.replace(/^.*\n/u, '').trim() ?? '';
}
