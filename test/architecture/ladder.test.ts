import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { lint, lintPlanted, type Report, ROOT } from './planted-tree.ts';

/** The ladder: what each folder of src may import, apart from itself. Written here once more, on purpose. */
const MAY_REACH: Readonly<Record<string, readonly string[]>> = {
  api: [],
  wire: [],
  model: ['api'],
  ports: ['api', 'model'],
  reconcile: ['api', 'model', 'ports'],
  runtime: ['model', 'ports'],
  kubernetes: ['api', 'model', 'ports'],
  directory: ['api', 'model', 'ports'],
  service: ['api', 'wire', 'model', 'ports'],
  telemetry: ['api', 'model', 'ports'],
  simulator: ['api', 'wire', 'model', 'ports'],
  compose: [
    'api',
    'model',
    'ports',
    'reconcile',
    'runtime',
    'kubernetes',
    'directory',
    'service',
    'telemetry',
    'simulator',
  ],
  cli: ['api', 'model', 'ports', 'reconcile', 'compose'],
};
const FOLDERS = Object.keys(MAY_REACH);
/** A file of each folder that no override names. */
const ORDINARY = FOLDERS.map((folder) => `src/${folder}/ordinary.ts`);

/** Files at the top that only some may import. */
const ROOTED: Readonly<Record<string, readonly string[]>> = {
  '../main.ts': [],
  '../config.ts': ['src/compose/ordinary.ts', 'src/cli/ordinary.ts'],
  '../../test/support/builders.ts': [],
  '../../scripts/build.ts': [],
};

/** Packages and node: modules, each with the places that may import it. */
const VENDORS: Readonly<Record<string, readonly string[]>> = {
  '@kubernetes/client-node': ['src/kubernetes/ordinary.ts'],
  undici: ['src/kubernetes/transport.ts', 'src/service/ordinary.ts'],
  'p-queue': ['src/service/limiter.ts'],
  yaml: ['src/directory/ordinary.ts', 'src/cli/render.ts'],
  pino: ['src/telemetry/ordinary.ts'],
  'prom-client': ['src/telemetry/ordinary.ts'],
  ajv: ['src/api/validators.ts'],
  commander: ['src/cli/ordinary.ts'],
  'left-pad': [],
  '@some/package': [],
  'node:timers/promises': ['src/runtime/system-clock.ts', 'src/simulator/virtual-clock.ts'],
  'node:process': ['src/directory/state-lock.ts', 'src/cli/ordinary.ts'],
  'node:fs/promises': ORDINARY.filter(
    (file) => !/\/(?:api|wire|model|ports|reconcile|runtime)\//u.test(file),
  ).concat('src/directory/state-lock.ts', 'src/kubernetes/transport.ts'),
};
const VENDOR_PLACES = [
  ...ORDINARY,
  'src/api/validators.ts',
  'src/directory/state-lock.ts',
  'src/kubernetes/transport.ts',
  'src/service/limiter.ts',
  'src/cli/render.ts',
  'src/runtime/system-clock.ts',
  'src/simulator/virtual-clock.ts',
];

/** Where the bundle and the program begin. */
const EDGE = ['src/start.ts', 'src/main.ts'];

/** Reads of the world, each with the places that may make it. */
const WORLD: Readonly<Record<string, readonly string[]>> = {
  'Date.now()': ['src/runtime/system-clock.ts'],
  'new Date()': ['src/runtime/system-clock.ts'],
  'Math.random()': ['src/runtime/system-clock.ts'],
  'AbortSignal.timeout(1)': ['src/runtime/system-clock.ts'],
  'setTimeout(String, 1)': ['src/runtime/system-clock.ts'],
  'setInterval(String, 1)': ['src/runtime/system-clock.ts'],
  "fetch('http://127.0.0.1')": [],
  'process.pid': [...EDGE, 'src/config.ts', 'src/cli/ordinary.ts'],
  'process.env': ['src/config.ts'],
  'console.log': [...EDGE, 'src/cli/ordinary.ts'],
  'globalThis.setTimeout': [],
  // Formatting a given time reads nothing.
  'new Date(5).toISOString()': [...EDGE, 'src/config.ts', 'src/runtime/system-clock.ts', ...ORDINARY],
};
const WORLD_PLACES = [...EDGE, 'src/config.ts', 'src/runtime/system-clock.ts', ...ORDINARY];

/** What the file that any Node.js must be able to read may import, and some of what it may not. */
const FROM_START = ['./main.ts', './config.ts', './cli/x.ts', 'undici', 'node:fs'] as const;

const IMPORTS = 'no-restricted-imports';
const GLOBALS = ['no-restricted-globals', 'no-restricted-properties', 'no-wall-clock-date'];

/** One tree with every plant, one plant a line, in every place: whether a plant was reported in a place. */
class Planted {
  readonly #plants: readonly string[];
  readonly #places: readonly string[];
  readonly #rules: readonly string[];
  #reports: readonly Report[] = [];

  constructor(places: readonly string[], plants: readonly string[], rules: readonly string[]) {
    this.#places = places;
    this.#plants = plants;
    this.#rules = rules;
  }

  lint(): void {
    this.#reports = lintPlanted(new Map(this.#places.map((place) => [place, this.#plants])));
  }

  /** The places where none of our rules reported the plant. */
  allowedIn(plant: string): string[] {
    const line = this.#plants.indexOf(plant) + 1;
    const hits = this.#reports.filter((report) => report.line === line && this.#rules.includes(report.rule));
    const reported = new Set(hits.map(({ file }) => file));
    return this.#places.filter((place) => !reported.has(place));
  }
}

const importing = (specifier: string): string => `import '${specifier}';`;
const importingType = (specifier: string): string =>
  `import type { Thing as ${specifier.replace(/\W/gu, '_')} } from '${specifier}';`;

describe('the import ladder', () => {
  const rungs = FOLDERS.map((folder) => `../${folder}/thing.ts`);
  const folders = new Planted(ORDINARY, [...rungs, ...Object.keys(ROOTED)].map(importingType), [IMPORTS]);
  const vendors = new Planted(VENDOR_PLACES, Object.keys(VENDORS).map(importing), [IMPORTS]);
  const start = new Planted(['src/start.ts'], FROM_START.map(importing), [IMPORTS]);
  const main = new Planted(
    ['src/main.ts'],
    ['./config.ts', 'undici', ...FOLDERS.map((f) => `./${f}/x.ts`)].map(importing),
    [IMPORTS],
  );
  const runtime = new Planted(
    ['src/runtime/ordinary.ts'],
    ['keyText', 'GROUP'].map((name) => `import { ${name} } from '../api/metadata.ts';`),
    [IMPORTS],
  );
  const deep = new Planted(
    ['src/model/deep/a.ts', 'src/kubernetes/deep/a.ts'],
    [importing('../../service/thing.ts'), importing('../../model/thing.ts')],
    [IMPORTS],
  );

  beforeAll(() => {
    for (const planted of [folders, vendors, start, main, runtime, deep]) planted.lint();
  });

  it('has a rung for every folder of src', () => {
    const entries = readdirSync(join(ROOT, 'src'), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(FOLDERS).toEqual(expect.arrayContaining(names));
  });

  it.each(FOLDERS)('lets %s be reached from above and from nowhere else', (to) => {
    const above = FOLDERS.filter((from) => MAY_REACH[from]?.includes(to) === true);
    const itself = `src/${to}/ordinary.ts`; // written as ../folder/file it is itself refused or not, and does not matter
    const allowed = folders.allowedIn(importingType(`../${to}/thing.ts`)).filter((place) => place !== itself);
    expect(allowed).toEqual(above.map((from) => `src/${from}/ordinary.ts`));
  });

  it.each(Object.entries(ROOTED))('lets %s be reached only from where it may', (target, from) => {
    expect(folders.allowedIn(importingType(target))).toEqual(from);
  });

  it('lets start read main and nothing else', () => {
    const [main, ...others] = FROM_START;
    expect(start.allowedIn(importing(main))).toHaveLength(1);
    for (const other of others) expect(start.allowedIn(importing(other))).toEqual([]);
  });

  it('lets main start the cli with its configuration and reach nothing else', () => {
    expect(main.allowedIn(importing('./cli/x.ts'))).toHaveLength(1);
    expect(main.allowedIn(importing('./config.ts'))).toHaveLength(1);
    for (const target of ['undici', './compose/x.ts', './model/x.ts', './runtime/x.ts']) {
      expect(main.allowedIn(importing(target))).toEqual([]);
    }
  });

  it('lets runtime know the identity of work and nothing else of the API', () => {
    expect(runtime.allowedIn("import { keyText } from '../api/metadata.ts';")).toHaveLength(1);
    expect(runtime.allowedIn("import { GROUP } from '../api/metadata.ts';")).toEqual([]);
  });

  it('holds in folders of folders', () => {
    expect(deep.allowedIn(importing('../../service/thing.ts'))).toEqual([]);
    expect(deep.allowedIn(importing('../../model/thing.ts'))).toHaveLength(2);
  });

  it.each(Object.entries(VENDORS))('lets %s be imported only where it belongs', (vendor, belongs) => {
    expect(vendors.allowedIn(importing(vendor)).toSorted()).toEqual(belongs.toSorted());
  });
});

describe('the world', () => {
  const world = new Planted(
    WORLD_PLACES,
    Object.keys(WORLD).map((read) => `void ${read};`),
    GLOBALS,
  );

  beforeAll(() => {
    world.lint();
  });

  it.each(Object.entries(WORLD))('is read through %s only where that belongs', (read, belongs) => {
    expect(world.allowedIn(`void ${read};`)).toEqual(belongs);
  });
});

describe('habits that lint keeps', () => {
  const habits: readonly (readonly [title: string, rule: string, path: string, ...lines: string[]])[] = [
    ['a dynamic import upwards', IMPORTS, 'src/model/dynamic.ts', "void import('../service/thing.ts');"],
    [
      'a re-export from above',
      IMPORTS,
      'src/model/re-export.ts',
      "export { thing } from '../service/thing.ts';",
    ],
    [
      'an import() type',
      'consistent-type-imports',
      'src/model/import-type.ts',
      "export type Mine = import('../service/thing.ts').Thing;",
    ],
    [
      'require',
      'no-require-imports',
      'src/model/require.ts',
      "export const thing = require('../service/thing.ts');",
    ],
    ['a path that climbs late', 'paths-climb-first', 'src/model/late.ts', "import './../service/a.ts';"],
    [
      'a cycle (one half)',
      'no-cycle',
      'src/model/a.ts',
      "import { b } from './b.ts';",
      'export const a = () => b();',
    ],
    [
      'a cycle (other half)',
      'no-cycle',
      'src/model/b.ts',
      "import { a } from './a.ts';",
      'export const b = () => a();',
    ],
    [
      'a cycle of types (one half)',
      'no-cycle',
      'src/model/c.ts',
      "import type { D } from './d.ts';",
      'export type C = { d?: D };',
    ],
    [
      'a cycle of types (other half)',
      'no-cycle',
      'src/model/d.ts',
      "import type { C } from './c.ts';",
      'export type D = { c?: C };',
    ],
    ['a default export', 'no-default-export', 'src/model/default.ts', 'export default 1;'],
    ['a barrel', 'no-barrel-file', 'src/model/barrel.ts', "export * from './late.ts';"],
    ['an export without a contract', 'documented-exports', 'src/model/bare.ts', 'export const bare = 1;'],
    ['any', 'no-explicit-any', 'src/model/any.ts', 'export const any: any = 1;'],
    ['a floating promise', 'no-floating-promises', 'src/model/float.ts', 'const f = async () => 1;', 'f();'],
    ['await of a plain value', 'await-thenable', 'src/model/await.ts', 'const n: number = 1;', 'await n;'],
    [
      'a promise where nobody waits',
      'no-misused-promises',
      'src/model/misused.ts',
      'const f = async () => true;',
      'if (f()) void 0;',
    ],
    [
      'a switch with a case left out',
      'switch-exhaustiveness-check',
      'src/model/switch.ts',
      "declare const u: 'a' | 'b';",
      'switch (u) {',
      "  case 'a':",
      '    void 0;',
      '}',
    ],
    [
      'a decision that the oracle shares',
      IMPORTS,
      'test/support/oracle/rules/shared.ts',
      "import '../../../../src/model/references.ts';",
    ],
    ['a mocked module', 'no-restricted-properties', 'test/model/mock.test.ts', "vi.mock('./b.ts');"],
    ['a sleep in a unit test', 'no-restricted-globals', 'test/model/sleep.test.ts', 'setTimeout(String, 1);'],
    [
      'a focused test',
      'no-focused-tests',
      'test/model/focus.test.ts',
      "import { it } from 'vitest';",
      "it.only('x', () => {});",
    ],
  ];
  let reports: readonly Report[] = [];

  beforeAll(() => {
    reports = lintPlanted(new Map(habits.map(([, , path, ...lines]) => [path, lines])));
  });

  it.each(habits)('%s is reported', (_title, rule, path) => {
    expect(reports.filter(({ file }) => file === path).map((report) => report.rule)).toContain(rule);
  });
});

it('this repository keeps the ladder and leaves the world alone', () => {
  const kept = [IMPORTS, ...GLOBALS, 'no-cycle', 'no-default-export', 'no-barrel-file', 'paths-climb-first'];
  expect(lint(ROOT).filter(({ rule }) => kept.includes(rule))).toEqual([]);
}, 60_000);
