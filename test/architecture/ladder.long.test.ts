import { readdirSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { WINGS } from '../../scripts/lint/ladder.ts';
import { lint, lintPlanted, type Report, ROOT } from './planted-tree.ts';

/** What each wing of src may import, apart from itself. Written here once more, on purpose. */
const MAY_REACH: Readonly<Record<string, readonly string[]>> = {
  base: [],
  api: ['base'],
  wire: [],
  model: ['base', 'api'],
  views: ['base', 'api', 'model'],
  ports: ['base', 'api', 'model', 'views'],
  reconcile: ['base', 'api', 'model', 'ports'],
  runtime: ['base', 'model', 'ports'],
  kubernetes: ['base', 'api', 'model', 'ports'],
  directory: ['base', 'api', 'model', 'ports'],
  service: ['base', 'api', 'wire', 'model', 'views', 'ports'],
  telemetry: ['base', 'api', 'model', 'ports'],
  console: ['base', 'api', 'model', 'views', 'ports'],
  simulator: ['base', 'api', 'wire', 'model', 'ports'],
  compose: [
    'base',
    'api',
    'model',
    'views',
    'ports',
    'reconcile',
    'runtime',
    'kubernetes',
    'directory',
    'service',
    'telemetry',
    'simulator',
    'console',
  ],
  cli: ['base', 'api', 'model', 'views', 'ports', 'reconcile', 'compose'],
};
/** Rooms that reach less than their wing. */
const NARROW: Readonly<Record<string, readonly string[]>> = {
  'cli/render': ['base', 'api', 'model', 'views', 'ports'],
  ...Object.fromEntries(
    ['', '/state', '/parts', '/actions', '/fleet', '/deployment', '/screens'].map((room) => [
      `console/page${room}`,
      ['views/screens'],
    ]),
  ),
};
const FOLDERS = Object.keys(MAY_REACH);

/** Every room from the ground up, with the place of its rung in its wing. */
const ROOMS = Object.entries(WINGS).flatMap(([wing, { rooms }]) =>
  rooms.flatMap((together, rung) =>
    together.split(' ').map((room) => ({ wing, rung, room: posix.join(wing, room) })),
  ),
);
const fileIn = (room: string, name = 'ordinary'): string => `src/${room}/${name}.ts`;
/** The room of each wing that stands highest: what is allowed there, is allowed as far as the wing goes. */
const HIGHEST = FOLDERS.map((wing) => ROOMS.findLast((one) => one.wing === wing)?.room ?? wing);
/** A file of each wing that no line of the table names. */
const ORDINARY = HIGHEST.map((room) => fileIn(room));
const inWing = (wing: string): string => ORDINARY[FOLDERS.indexOf(wing)] ?? '';

/** Files at the top that only some may import. */
const ROOTED: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': [],
  'src/config.ts': [inWing('compose'), inWing('cli')],
  'test/support/resources/builders.ts': [],
  'scripts/build.ts': [],
  'package.json': [],
};

/** Places that the table names, and those where something is allowed that their wing may not. */
const NAMED = {
  validators: 'src/api/schema/schema-compiler.ts',
  lock: 'src/directory/state/acquire-lock.ts',
  clusterTransport: 'src/kubernetes/client/create-transport.ts',
  clusterConfig: 'src/kubernetes/client/load-cluster-config.ts',
  serviceTransport: 'src/service/http/http-exchange.ts',
  limiter: 'src/service/calls/limiter.ts',
  render: 'src/cli/render/render-table.ts',
  clock: 'src/runtime/process/system-clock.ts',
};

/** Places that may import modules of Node.js, whatever it is but time and the process. */
const ON_NODE = [
  ...['kubernetes', 'directory', 'service', 'telemetry', 'simulator', 'console', 'compose', 'cli'].map(
    inWing,
  ),
  NAMED.lock,
  NAMED.clusterTransport,
  NAMED.clusterConfig,
  NAMED.serviceTransport,
  NAMED.limiter,
];

/** Packages and node: modules, each with the places that may import it. */
const VENDORS: Readonly<Record<string, readonly string[]>> = {
  '@kubernetes/client-node': [NAMED.clusterTransport, NAMED.clusterConfig],
  undici: [NAMED.clusterTransport, NAMED.serviceTransport],
  'p-queue': [NAMED.limiter],
  yaml: [inWing('directory'), NAMED.lock, NAMED.render],
  pino: [inWing('telemetry')],
  'prom-client': [inWing('telemetry')],
  ajv: [NAMED.validators],
  commander: [inWing('cli')],
  'left-pad': [],
  '@some/package': [],
  'node:timers/promises': [NAMED.clock],
  'node:process': [NAMED.lock, inWing('cli')],
  // Every file of this room; the lines of the others are for one file each.
  'node:crypto': [...ON_NODE, inWing('runtime'), NAMED.clock],
  'node:fs/promises': ON_NODE,
};
const VENDOR_PLACES = [...ORDINARY, ...Object.values(NAMED)];

/** Where the bundle and the program begin. */
const EDGE = ['src/start.ts', 'src/main.ts'];

/** Reads of the world, each with the places that may make it. */
const WORLD: Readonly<Record<string, readonly string[]>> = {
  'Date.now()': [NAMED.clock],
  'new Date()': [NAMED.clock],
  'Math.random()': [NAMED.clock],
  'AbortSignal.timeout(1)': [NAMED.clock],
  'setTimeout(String, 1)': [NAMED.clock],
  'setInterval(String, 1)': [NAMED.clock],
  "fetch('http://127.0.0.1')": [],
  'process.pid': [...EDGE, 'src/config.ts', inWing('cli')],
  'process.env': ['src/config.ts'],
  'console.log': [...EDGE, inWing('cli')],
  'globalThis.setTimeout': [],
  // Formatting a given time reads nothing.
  'new Date(5).toISOString()': [...EDGE, 'src/config.ts', NAMED.clock, ...ORDINARY],
};
const WORLD_PLACES = [...EDGE, 'src/config.ts', NAMED.clock, ...ORDINARY];

/** What the file that any Node.js must be able to read may import, and some of what it may not. */
const FROM_START = ['./main.ts', './config.ts', './cli/x.ts', 'undici', 'node:fs'] as const;

/** Of all the places that main could start, only the command line and its configuration. */
const FROM_MAIN = ['./config.ts', 'undici', ...FOLDERS.map((folder) => `./${folder}/x.ts`)];

const IMPORTS = 'ladder';
const GLOBALS = ['no-restricted-globals', 'no-restricted-properties', 'no-wall-clock-date'];

/** One tree of files, each with plants, one a line: which of them our rules report, and where. */
class Planted {
  readonly #rules: readonly string[];
  readonly #lines = new Map<string, string[]>();
  #reports: readonly Report[] = [];

  constructor(rules: readonly string[]) {
    this.#rules = rules;
  }

  /** Adds lines to each place; a path is written from where it stands. */
  plant(places: readonly string[], linesIn: (place: string) => readonly string[]): void {
    for (const place of places)
      this.#lines.set(place, [...new Set([...(this.#lines.get(place) ?? []), ...linesIn(place)])]);
  }

  lint(): void {
    this.#reports = lintPlanted(this.#lines);
  }

  /** Those of the places where none of our rules reported the line. */
  allowedIn(places: readonly string[], lineIn: (place: string) => string): string[] {
    return places.filter((place) => {
      const line = (this.#lines.get(place) ?? []).indexOf(lineIn(place)) + 1;
      if (line === 0) throw new Error(`${lineIn(place)} was not planted in ${place}`);
      return !this.#reports.some(
        (report) => report.file === place && report.line === line && this.#rules.includes(report.rule),
      );
    });
  }
}

const importing = (specifier: string): string => `import '${specifier}';`;
const importingType = (specifier: string): string =>
  `import type { Thing as ${specifier.replace(/\W/gu, '_')} } from '${specifier}';`;

/** A relative path as an import is written. */
function pathFrom(file: string, target: string): string {
  const path = posix.relative(posix.dirname(file), target);
  return path.startsWith('.') ? path : `./${path}`;
}

describe('the import ladder', () => {
  const tree = new Planted([IMPORTS]);
  // What is generated is not linted.
  const written = ROOMS.filter(({ room }) => !room.endsWith('/generated'));
  const inRooms = written.map(({ room }) => fileIn(room));
  const toRoom = (room: string) => (place: string) => importingType(pathFrom(place, fileIn(room, 'thing')));
  const toFile = (target: string) => (place: string) => importingType(pathFrom(place, target));
  const KEY = "import { keyText } from '../../api/metadata.ts';";
  const GROUP = "import { GROUP } from '../../api/metadata.ts';";
  const STRANGERS = ['src/attic/a.ts', 'src/model/attic/a.ts', 'src/model/plan/attic/a.ts'];
  const VERSION = ['src/compose/operator/version.ts'];

  beforeAll(() => {
    tree.plant(inRooms, (place) => ROOMS.map(({ room }) => toRoom(room)(place)));
    tree.plant(ORDINARY, (place) => Object.keys(ROOTED).map((target) => toFile(target)(place)));
    tree.plant(VENDOR_PLACES, () => Object.keys(VENDORS).map(importing));
    tree.plant(['src/start.ts'], () => FROM_START.map(importing));
    tree.plant(['src/main.ts'], () => FROM_MAIN.map(importing));
    tree.plant(['src/runtime/queue/ordinary.ts'], () => [KEY, GROUP]);
    tree.plant(STRANGERS, () => [importing('./b.ts')]);
    tree.plant(VERSION, () =>
      ['package.json', 'package-lock.json'].map((name) => importing(`../../../${name}`)),
    );
    tree.lint();
  }, 60_000);

  it('has a room for every folder of src, and no other', () => {
    const entries = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name));
    const folders = files.map(({ parentPath }) => relative(join(ROOT, 'src'), parentPath));
    const named = ROOMS.map(({ room }) => room);
    expect([...new Set(folders)].filter((folder) => folder !== '').toSorted()).toEqual(named.toSorted());
  });

  it.each(ROOMS)('lets $room be reached from above and from nowhere else', (to) => {
    const above = written.filter((from) =>
      from.wing === to.wing
        ? from.rung >= to.rung
        : (NARROW[from.room] ?? MAY_REACH[from.wing] ?? []).some(
            (place) => place === to.wing || place === to.room,
          ),
    );
    expect(tree.allowedIn(inRooms, toRoom(to.room))).toEqual(above.map(({ room }) => fileIn(room)));
  });

  it.each(Object.entries(ROOTED))('lets %s be reached only from where it may', (target, from) => {
    expect(tree.allowedIn(ORDINARY, toFile(target))).toEqual(from);
  });

  it('lets start read main and nothing else', () => {
    const [main, ...others] = FROM_START;
    const allowed = (target: string): string[] => tree.allowedIn(['src/start.ts'], () => importing(target));
    expect(allowed(main)).toHaveLength(1);
    for (const other of others) expect(allowed(other)).toEqual([]);
  });

  it('lets main start the cli with its configuration and reach nothing else', () => {
    const allowed = FROM_MAIN.filter(
      (target) => tree.allowedIn(['src/main.ts'], () => importing(target)).length === 1,
    );
    expect(allowed).toEqual(['./config.ts', './cli/x.ts']);
  });

  it('lets runtime know the identity of work and nothing else of the API', () => {
    const place = ['src/runtime/queue/ordinary.ts'];
    expect(tree.allowedIn(place, () => KEY)).toEqual(place);
    expect(tree.allowedIn(place, () => GROUP)).toEqual([]);
  });

  it('asks for a line about every folder', () => {
    expect(tree.allowedIn(STRANGERS, () => importing('./b.ts'))).toEqual([]);
  });

  it('lets one file read the version of the program', () => {
    expect(tree.allowedIn(VERSION, () => importing('../../../package.json'))).toEqual(VERSION);
    expect(tree.allowedIn(VERSION, () => importing('../../../package-lock.json'))).toEqual([]);
  });

  it.each(Object.entries(VENDORS))('lets %s be imported only where it belongs', (vendor, belongs) => {
    const allowed = tree.allowedIn(VENDOR_PLACES, () => importing(vendor));
    expect(allowed.toSorted()).toEqual(belongs.toSorted());
  });
});

describe('the world', () => {
  const world = new Planted(GLOBALS);

  beforeAll(() => {
    world.plant(WORLD_PLACES, () => Object.keys(WORLD).map((read) => `void ${read};`));
    world.lint();
  }, 60_000);

  it.each(Object.entries(WORLD))('is read through %s only where that belongs', (read, belongs) => {
    expect(world.allowedIn(WORLD_PLACES, () => `void ${read};`)).toEqual(belongs);
  });
});

describe('habits that lint keeps', () => {
  const habits: readonly (readonly [title: string, rule: string, path: string, ...lines: string[]])[] = [
    [
      'a dynamic import upwards',
      IMPORTS,
      'src/model/plan/dynamic.ts',
      "void import('../../service/thing.ts');",
    ],
    [
      'a re-export from above',
      IMPORTS,
      'src/model/plan/re-export.ts',
      "export { thing } from '../../service/thing.ts';",
    ],
    [
      'an import() type',
      'consistent-type-imports',
      'src/model/plan/import-type.ts',
      "export type Mine = import('../../service/thing.ts').Thing;",
    ],
    [
      'require',
      'no-require-imports',
      'src/model/plan/require.ts',
      "export const thing = require('../../service/thing.ts');",
    ],
    [
      'a path that climbs late',
      'paths-climb-first',
      'src/model/plan/late.ts',
      "import './../../service/a.ts';",
    ],
    [
      'a cycle (one half)',
      'no-cycle',
      'src/model/plan/a.ts',
      "import { b } from './b.ts';",
      'export const a = () => b();',
    ],
    [
      'a cycle (other half)',
      'no-cycle',
      'src/model/plan/b.ts',
      "import { a } from './a.ts';",
      'export const b = () => a();',
    ],
    [
      'a cycle of types (one half)',
      'no-cycle',
      'src/model/plan/c.ts',
      "import type { D } from './d.ts';",
      'export type C = { d?: D };',
    ],
    [
      'a cycle of types (other half)',
      'no-cycle',
      'src/model/plan/d.ts',
      "import type { C } from './c.ts';",
      'export type D = { c?: C };',
    ],
    ['a default export', 'no-default-export', 'src/model/plan/default.ts', 'export default 1;'],
    ['a barrel', 'no-barrel-file', 'src/model/plan/barrel.ts', "export * from './late.ts';"],
    [
      'an export without a contract',
      'documented-exports',
      'src/model/plan/bare.ts',
      'export const bare = 1;',
    ],
    ['any', 'no-explicit-any', 'src/model/plan/any.ts', 'export const any: any = 1;'],
    [
      'a floating promise',
      'no-floating-promises',
      'src/model/plan/float.ts',
      'const f = async () => 1;',
      'f();',
    ],
    [
      'await of a plain value',
      'await-thenable',
      'src/model/plan/await.ts',
      'const n: number = 1;',
      'await n;',
    ],
    [
      'a promise where nobody waits',
      'no-misused-promises',
      'src/model/plan/misused.ts',
      'const f = async () => true;',
      'if (f()) void 0;',
    ],
    [
      'a switch with a case left out',
      'switch-exhaustiveness-check',
      'src/model/plan/switch.ts',
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
      "import '../../../../src/model/connection/references.ts';",
    ],
    ['a mocked module', 'no-restricted-properties', 'test/model/plan/mock.test.ts', "vi.mock('./b.ts');"],
    [
      'a sleep in a unit test',
      'no-restricted-globals',
      'test/model/plan/sleep.test.ts',
      'setTimeout(String, 1);',
    ],
    [
      'a focused test',
      'no-focused-tests',
      'test/model/plan/focus.test.ts',
      "import { it } from 'vitest';",
      "it.only('x', () => {});",
    ],
  ];
  let reports: readonly Report[] = [];

  beforeAll(() => {
    reports = lintPlanted(new Map(habits.map(([, , path, ...lines]) => [path, lines])));
  }, 60_000);

  it.each(habits)('%s is reported', (_title, rule, path) => {
    expect(reports.filter(({ file }) => file === path).map((report) => report.rule)).toContain(rule);
  });
});

it('this repository keeps the ladder and leaves the world alone', () => {
  const kept = [IMPORTS, ...GLOBALS, 'no-cycle', 'no-default-export', 'no-barrel-file', 'paths-climb-first'];
  expect(lint(ROOT).filter(({ rule }) => kept.includes(rule))).toEqual([]);
}, 120_000);
