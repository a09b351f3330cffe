import { posix } from 'node:path';

/**
 * The import ladder as a table: the permitted imports of every file in src. The rule `house/ladder` reads it, the map
 * of folders in docs/architecture.md describes it, and test/architecture plants a violation of each line.
 */

/** One folder directly in src. */
export interface Wing {
  /** The other wings, or files, that it may import. */
  readonly reaches: readonly string[];
  /**
   * Its rooms from the ground up; `.` is the folder itself. A room may import itself and the rooms before it. Rooms
   * in one text are two halves of one room.
   */
  readonly rooms: readonly string[];
}

const CORE = ['base', 'api', 'model', 'ports'];

/** Every folder of src, from the ground up. */
export const WINGS: Readonly<Record<string, Wing>> = {
  base: { reaches: [], rooms: ['.'] },
  api: { reaches: ['base'], rooms: ['. generated', 'schema', 'warnings', 'checks'] },
  wire: { reaches: [], rooms: ['.'] },
  model: {
    reaches: ['base', 'api'],
    rooms: [
      'redaction',
      'connection',
      'desired',
      'external',
      'recorded',
      'effects',
      'compare',
      'plan',
      'patch',
      'decide',
      'outcome',
      'status',
      'election',
    ],
  },
  views: { reaches: ['base', 'api', 'model'], rooms: ['plans', 'manifests', 'resources', 'screens'] },
  ports: { reaches: ['base', 'api', 'model', 'views'], rooms: ['process', 'stores', 'service'] },
  reconcile: { reaches: CORE, rooms: ['deployment', 'connection', 'shard'] },
  runtime: {
    // It knows no custom resource; see ONLY_NAMES.
    reaches: ['base', 'model', 'ports', 'api/metadata.ts'],
    rooms: ['queue', 'controller', 'election', 'process'],
  },
  kubernetes: { reaches: CORE, rooms: ['objects', 'client', 'watch', 'stores', 'cluster'] },
  directory: { reaches: CORE, rooms: ['files', 'yaml', 'manifests', 'state', 'store'] },
  service: {
    reaches: [...CORE, 'wire', 'views'],
    rooms: ['limits', 'http', 'calls', 'list', 'client', 'connection'],
  },
  telemetry: { reaches: CORE, rooms: ['.'] },
  console: {
    reaches: [...CORE, 'views'],
    rooms: [
      'page/state',
      'page/parts',
      'page/actions',
      'page/fleet page/deployment',
      'page/screens',
      'page',
      'generated',
      'server',
    ],
  },
  simulator: {
    reaches: [...CORE, 'wire'],
    rooms: ['values', 'switches', 'state', 'api', 'faults', 'server'],
  },
  compose: {
    reaches: [
      ...CORE,
      'views',
      'reconcile',
      'runtime',
      'kubernetes',
      'directory',
      'service',
      'telemetry',
      'simulator',
      'console',
      'config.ts',
    ],
    rooms: ['operator', 'cluster', 'run', 'session', 'apply', 'console', 'demo'],
  },
  cli: {
    reaches: [...CORE, 'views', 'reconcile', 'compose', 'config.ts'],
    rooms: ['generated', 'terminal', 'render', 'flags', 'program', 'commands commands/annotate', '.'],
  },
};

/** Files directly in src; one that is not named here may import what config.ts may. */
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  // Every version of Node.js must be able to read it, so it imports only the file that it starts.
  'start.ts': ['main.ts'],
  'main.ts': ['cli', 'config.ts'],
  'config.ts': CORE,
};

/** Places that reach less than their wing: of other wings and packages nothing but these. */
const NARROW: Readonly<Record<string, readonly string[]>> = {
  // Rendering is pure.
  'cli/render': [...CORE, 'views', 'yaml', 'node:path', 'node:url'],
  // The page runs in a browser, and knows what screens show and nothing else.
  'console/page': [
    'views/screens',
    'views/resources/age-text.ts',
    'preact',
    'preact/hooks',
    '@preact/signals',
  ],
};

/** Files of which only these names may be imported. */
const ONLY_NAMES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  runtime: { 'api/metadata.ts': ['Key', 'keyText'] },
};

const ADAPTERS = ['kubernetes', 'directory', 'service', 'telemetry', 'simulator', 'console/server'];

/** Packages and modules of Node.js, each with the places that may import it; the first line that fits counts. */
const OUTSIDE: readonly (readonly [name: RegExp, places: readonly string[]])[] = [
  [/^ajv$/, ['api/schema/schema-compiler.ts']],
  [/^@kubernetes\/client-node$/, ['kubernetes/client']],
  [
    /^undici$/,
    ['kubernetes/client/create-transport.ts', 'kubernetes/client/transport-pools.ts', 'service/http'],
  ],
  [/^p-queue$/, ['service/calls/limiter.ts']],
  [/^yaml$/, ['directory', 'cli/render']],
  [/^(?:pino|pino-pretty|prom-client)$/, ['telemetry']],
  [/^commander$/, ['cli']],
  // Time arrives through the Clock port, the process through main.
  [/^node:timers/, ['runtime/process/system-clock.ts']],
  [
    /^node:process$/,
    ['main.ts', 'cli', 'directory/state/acquire-lock.ts', 'directory/state/read-trusted.ts'],
  ],
  [/^node:console$/, ['main.ts', 'cli']],
  [/^node:crypto$/, ['runtime/process', ...ADAPTERS, 'compose', 'cli', 'main.ts', 'config.ts']],
  [/^node:/, [...ADAPTERS, 'compose', 'cli', 'main.ts', 'config.ts']],
];

/** Files outside src, each with the one place that may import it. */
const BESIDE: Readonly<Record<string, string>> = { 'package.json': 'compose/operator/version.ts' };

/**
 * The parts of src that the oracle of the tests may import: an oracle that shared a decision would share its mistakes
 * (docs/decisions/0016).
 */
const ORACLE = ['api', 'wire', 'ports', 'simulator', 'model/outcome/event.ts'];

/** True where a path is a place, or lies in it. */
const isIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/**
 * Returns why a file of the project may not import something, or undefined. Paths begin at the root of the project.
 */
export function whyNot(file: string, specifier: string, names: readonly string[]): string | undefined {
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;
  if (isIn(file, 'test/support/oracle')) {
    if (target === undefined || !target.startsWith('src/')) return undefined;
    if (ORACLE.some((place) => isIn(target.slice(4), place))) return undefined;
    return 'The oracle imports no decisions of src.';
  }
  if (!file.startsWith('src/')) return undefined;
  const from = file.slice(4);
  if (target === undefined) return whyNotOutside(from, specifier);
  if (target.startsWith('src/')) return whyNotInside(from, target.slice(4), names);
  return BESIDE[target] === from ? undefined : 'src imports nothing from outside src.';
}

function whyNotOutside(from: string, specifier: string): string | undefined {
  const narrow = narrowed(from);
  if (narrow?.includes(specifier) === true) return undefined;
  const places = OUTSIDE.find(([name]) => name.test(specifier))?.[1] ?? [];
  if (narrow === undefined && places.some((place) => isIn(from, place))) return undefined;
  return places.length === 0 ? 'No file of src imports this.' : `Only ${places.join(', ')} may import this.`;
}

function whyNotInside(from: string, target: string, names: readonly string[]): string | undefined {
  const wing = WINGS[wingOf(from)];
  if (!from.includes('/')) {
    const reaches = ROOTS[from] ?? CORE;
    return reaches.some((place) => isIn(target, place)) ? undefined : `${from} may import ${list(reaches)}.`;
  }
  if (wing === undefined) return `There is no wing ${wingOf(from)}: name it in scripts/lint/ladder.ts.`;
  if (wingOf(from) === wingOf(target)) return whyNotBeside(wing, from, target);
  const reaches = narrowed(from) ?? wing.reaches;
  if (!reaches.some((place) => isIn(target, place))) return `${wingOf(from)} may import ${list(reaches)}.`;
  const only = ONLY_NAMES[wingOf(from)]?.[target];
  if (only === undefined || names.every((name) => only.includes(name))) return undefined;
  return `Of ${target}, ${wingOf(from)} may import ${list(only)}.`;
}

function whyNotBeside(wing: Wing, from: string, target: string): string | undefined {
  const [here, there] = [rungOf(wing, from), rungOf(wing, target)];
  if (here === -1) return `${posix.dirname(from)} is no room: name it in scripts/lint/ladder.ts.`;
  if (there === -1) return `${posix.dirname(target)} is no room: name it in scripts/lint/ladder.ts.`;
  if (there <= here) return undefined;
  const below = wing.rooms.slice(0, here);
  return `The room ${posix.dirname(from)} may import itself and ${list(below)}.`;
}

const narrowed = (from: string): readonly string[] | undefined =>
  Object.entries(NARROW).find(([place]) => isIn(from, place))?.[1];

const wingOf = (path: string): string => path.split('/')[0] ?? '';

const list = (places: readonly string[]): string => (places.length === 0 ? 'nothing' : places.join(', '));

function rungOf(wing: Wing, path: string): number {
  const room = posix.relative(wingOf(path), posix.dirname(path)) || '.';
  return wing.rooms.findIndex((rooms) => rooms.split(' ').includes(room));
}
