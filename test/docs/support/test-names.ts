/**
 * The names that a file gives its tests and groups of tests, as they stand there: a text where a call of `test`, `it`,
 * `describe` or `scenario` begins, or where one is told what `each` has to be tested. Other texts are no names, and what
 * stands in a comment is no test.
 */
export function testNames(source: string): readonly string[] {
  const calls = source
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .matchAll(
      /(?:\b(?:test|it|describe|scenario)(?:\.\w+)*\(|\)\()\s*(?<quote>['"`])(?<name>(?:\\.|(?!\k<quote>)[^\\])+)\k<quote>/g,
    );
  return [...calls].map(({ groups }) => (groups?.['name'] ?? '').replaceAll(/\\(.)/g, '$1'));
}
