import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { ROOT } from '../docs/support.ts';

/** What every start may read of src: the command line, and small parts of the core that it needs. */
const AT_START = [
  'src/main.ts',
  'src/config.ts',
  'src/compose/operator/version.ts',
  'src/views/manifests/manifest-check.ts',
  'src/views/resources/annotation-verbs.ts',
  'src/views/resources/waiting-plan.ts',
  /^src\/(?:base|api|model\/connection)\/[^/]+$/,
  /^src\/cli\/(?:[^/]+|(?:terminal|flags|program|commands|commands\/annotate)\/[^/]+)$/,
];

/** Reads everything that Node.js reads when it starts with a file: imports of values, without those that wait for an action. */
function readAtStart(entry: string): {
  readonly files: readonly string[];
  readonly packages: readonly string[];
} {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    for (const specifier of valueImports(file, readFileSync(join(ROOT, file), 'utf8'))) {
      if (!specifier.startsWith('.')) packages.add(specifier);
      else if (specifier.endsWith('.ts')) files.add(join(file, '..', specifier));
    }
  }
  return { files: [...files], packages: [...packages].filter((name) => !name.startsWith('node:')) };
}

function valueImports(path: string, text: string): readonly string[] {
  const { staticImports, staticExports } = parseSync(path, text).module;
  const imports = staticImports.filter(
    ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType),
  );
  const passedOn = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest === null || isType ? [] : [moduleRequest])),
  );
  return [...imports.map(({ moduleRequest }) => moduleRequest), ...passedOn].map(({ value }) => value);
}

const isAllowed = (file: string): boolean =>
  AT_START.some((place) => (typeof place === 'string' ? place === file : place.test(file)));

test('every start reads the commands, and nothing large: what an action needs waits for it', () => {
  const { files, packages } = readAtStart('src/main.ts');
  expect(files).toContain('src/cli/commands/plan.ts');
  expect(files.filter((file) => !isAllowed(file))).toEqual([]);
  expect(packages).toEqual(['commander']);
});

test('an import of a value counts, of a type or in an action it does not', () => {
  const text = `import { a, type B } from './value.ts';
    import type { C } from './type.ts';
    import { type D } from './types.ts';
    import './effect.ts';
    export { e } from './passed.ts';
    export type { F } from './passed-type.ts';
    export const later = () => import('./later.ts');`;
  expect(valueImports('a.ts', text)).toEqual(['./value.ts', './effect.ts', './passed.ts']);
  expect(readAtStart('src/cli/commands/look-once.ts').packages).toContain('yaml');
});
