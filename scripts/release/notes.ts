/** What a changelog says of a version, or, as long as that is to come, of what is unreleased. */
export function changesOf(changelog: string, version: string): string {
  return sectionIn(changelog, version) || sectionIn(changelog, 'Unreleased');
}

/** The section of a changelog under the heading of a version, or `Unreleased`; throws where there is none, or it is empty. */
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
