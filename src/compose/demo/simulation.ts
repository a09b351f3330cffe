import { readFile } from 'node:fs/promises';
import { nearest } from '../../api/nearest.ts';
import { UsageError } from '../../config.ts';
import { readYaml } from '../../directory/yaml/read-yaml.ts';
import type { Json } from '../../base/json.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { serveSimulator } from '../../simulator/server/simulator-server.ts';
import { DocumentError } from '../../simulator/values/reader.ts';
import { readSeed } from '../../simulator/server/read-seed.ts';
import { EMPTY_SEED } from '../../simulator/state/service-seed.ts';
import { parseSemantics } from '../../simulator/switches/parse-semantics.ts';
import type { SemanticsPatch } from '../../simulator/switches/semantics.ts';
import { SimulatedService, type SimulationSeed } from '../../simulator/server/simulated-service.ts';
import { WORD_GROUPS } from '../../simulator/switches/word-groups.ts';

/** The address of a simulated service, its first state, and its behaviour. */
export interface SimulationOptions {
  readonly host: string;
  /** The port; 0 means any free port. */
  readonly port: number;
  /** A YAML or JSON file with the initial state of the service. */
  readonly seed?: string | undefined;
  /** The switches for behaviour that the specification leaves open. */
  readonly semantics?: string | undefined;
  readonly rolloutSeconds?: number | undefined;
}

/** A running simulated service. */
export interface Simulation {
  readonly url: string;
  /** The address at which tests change its behaviour while it runs. */
  readonly controlURL: string;
  readonly deployments: number;
  close(): Promise<void>;
}

/** Starts a simulated service. Throws an ExpectedError for a seed, a word or an address that cannot be used. */
export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const seed = options.seed === undefined ? EMPTY_SEED : await seedFrom(options.seed);
  const service = new SimulatedService({ clock: systemClock, seed });
  if (options.semantics !== undefined) service.setSemantics(switchesFrom(options.semantics));
  if (options.rolloutSeconds !== undefined) {
    service.setSemantics({ rollout: { kind: 'after', seconds: options.rolloutSeconds } });
  }
  try {
    const server = await serveSimulator({
      service,
      host: options.host,
      port: options.port,
    });
    return {
      url: server.url,
      controlURL: server.controlURL,
      deployments: service.deployments().length,
      close: () => server.close(),
    };
  } catch (error) {
    throw cannotListen(options, error);
  }
}

/** Returns every word for `semantics`, by group. */
export function semanticsWords(): readonly {
  readonly group: string;
  readonly about: string;
  readonly words: string;
}[] {
  return WORD_GROUPS.map(({ name, about, values, pattern }) => ({
    group: name,
    about,
    words: [...Object.keys(values), ...(pattern === undefined ? [] : [pattern.form])].join(' '),
  }));
}

async function seedFrom(file: string): Promise<SimulationSeed> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ExpectedError(`${file}: the seed cannot be read; give a file that exists`, { cause: error });
  });
  const seed = readJson(text) ?? yamlSeed(file, text);
  try {
    return seed === undefined ? EMPTY_SEED : readSeed(seed);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new ExpectedError(error.problems.map((problem) => `${file}: ${problem}`).join('\n'), {
      cause: error,
    });
  }
}

/**
 * Parses a seed as JSON, since a seed from a program may exceed the size limit of YAML documents. Returns undefined if
 * it is not JSON.
 */
function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function yamlSeed(file: string, text: string): Json | undefined {
  const { documents, findings } = readYaml(text);
  const [finding] = findings;
  if (finding !== undefined) {
    throw new ExpectedError(
      `${file}:${finding.line}:${finding.column}: ${finding.message}; expected ${finding.expected}`,
    );
  }
  return documents[0]?.value;
}

/** Translates the words of `semantics`. Throws a UsageError for an unknown word. */
export function switchesFrom(words: string): SemanticsPatch {
  const result = parseSemantics(words);
  if (result.ok) return result.patch;
  const given = words.split(',').map((word) => word.trim());
  const problems = given.flatMap((word) => wordProblem(word) ?? []);
  throw new UsageError(`--semantics: ${problems.join('; ')}; see 'simulate --semantics list'`);
}

/** Describes the problem of one word, and suggests the most similar valid word. */
function wordProblem(word: string): string | undefined {
  const result = parseSemantics(word);
  if (result.ok) return undefined;
  const [group = '', value] = word.split(':');
  const isKnown = ({ name, values }: (typeof WORD_GROUPS)[number]): boolean =>
    value === undefined ? Object.hasOwn(values, word) : name === group;
  if (WORD_GROUPS.some(isKnown)) return result.problems.join('; ');
  const all = WORD_GROUPS.flatMap(({ name, values }) =>
    Object.keys(values).map((each) => (value === undefined ? each : `${name}:${each}`)),
  );
  const meant = nearest(word, [LIST_WORD, ...all]);
  return `${JSON.stringify(word)} is no such word${meant === undefined ? '' : ` (Did you mean ${meant}?)`}`;
}

/** The word for `simulate` that prints all switches. */
const LIST_WORD = 'list';

function cannotListen({ host, port }: SimulationOptions, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use; give another --port, or 0 for any free one',
    EACCES: 'this user may not listen there; give a --port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address; give another --host',
    ENOTFOUND: 'there is no such host; give another --host',
  };
  const reason = typeof code === 'string' ? reasons[code] : undefined;
  return reason === undefined ? error : new ExpectedError(`${host}:${port}: ${reason}`, { cause: error });
}
