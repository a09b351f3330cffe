/** The section of a changelog under the heading of a version, or `Unreleased`; throws where there is none, or it is empty. */
export function sectionOf(changelog: string, heading: string): string {
  const found = changelog
    .split(/^## /mu)
    .slice(1)
    .find((section) => section.split('\n', 1)[0]?.replace(/[[\]]/gu, '').split(' ')[0] === heading);
  const text = found?.replace(/^.*\n/u, '').trim() ?? '';
  if (text === '') throw new Error(`CHANGELOG.md says nothing under the heading ${heading}`);
  return `${text}\n`;
}
