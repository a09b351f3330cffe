/**
 * Returns the titles of tests and groups in a file, verbatim: the first text in a call of `test`, `it`, `describe` or
 * `scenario`, or in the call that follows `each`. Other texts are not titles, and comments contain no tests.
 */
export function testNames(source: string): readonly string[] {
  const calls = source
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .matchAll(
      /(?:\b(?:test|it|describe|scenario)(?:\.\w+)*\(|\)\()\s*(?<quote>['"`])(?<name>(?:\\.|(?!\k<quote>)[^\\])+)\k<quote>/g,
    );
  return [...calls].map(({ groups }) => (groups?.['name'] ?? '').replaceAll(/\\(.)/g, '$1'));
}
