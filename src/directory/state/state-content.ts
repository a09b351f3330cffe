import type { DeploymentSpec } from '../../api/deployment.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { readTrusted } from './read-trusted.ts';

/** The state of one resource that an API server stores and a folder cannot. Contains no secret value. */
export interface ResourceState {
  readonly uid: string;
  readonly generation: number;
  /** A keyed digest of the spec, or of the data of a Secret or ConfigMap. */
  readonly specHash: string;
  /** Counts writes and changes. */
  readonly resourceVersion: number;
  readonly creationTimestamp: string;
  readonly claimed: boolean;
  readonly status?: JsonObject;
  /** Set while the manifest is missing and the deletion is not finished. */
  readonly deletionTimestamp?: string;
  /** The part of the manifest that a deletion needs after the manifest is removed. Kept while claimed. */
  readonly retained?: RetainedManifest;
}

/** The parts of a claimed manifest that a deletion reads. */
export interface RetainedManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Pick<
    DeploymentSpec,
    'source' | 'connectionRef' | 'deploymentRef' | 'deletionPolicy' | 'managementPolicy'
  >;
}

/** The version of a complete file, which needs no journal. */
const WHOLE = 1;

/** The version of a file that a journal continues: a program that knows no journal must not read the file alone. */
const WITH_JOURNAL = 2;

/** The deepest nesting that is accepted. No status is nearly as deep, and a deeper one could not be written again. */
const MAX_DEPTH = 200;

/** The longest key that a message shows. A kind, a namespace and a name are shorter together. */
const KEY_BYTES = 512;

/** The remembered states, and the ID of the key that made their hashes. */
export interface StateContent {
  readonly keyID: string;
  readonly resources: Map<string, ResourceState>;
}

/** One change, as a line of a journal. The state is null if the resource was forgotten. */
export interface JournalEntry {
  /** The number of the change, one more than that of the previous change. */
  readonly sequence: number;
  readonly key: string;
  readonly state: ResourceState | null;
}

/** Returns the path of the journal of a state file, which holds the changes since the file was written. */
export function journalPath(path: string): string {
  return `${path}.journal`;
}

/** The content of a state file and its journal. */
export interface StoredState extends StateContent {
  /** The number of the last change in the file or the journal; 0 if there was none. */
  readonly sequence: number;
  /** True if the last process ended without closing the file. */
  readonly isOpen: boolean;
}

/**
 * Reads a state file and its journal, locked or not. A missing file is empty. Throws an ExpectedError if either is
 * damaged, comes from a newer version of the program, or may come from another user.
 */
export async function readState(path: string): Promise<StoredState> {
  // The journal is read first. A writer replaces the file before it clears the journal, so no change is missed between
  // the two reads.
  const journal = await textOf(journalPath(path));
  const text = await textOf(path);
  const { sequence, keyID, resources } = text === undefined ? empty() : contentOf(path, text);
  const entries = entriesOf(journalPath(path), journal ?? '');
  // If the file is complete, the journal belongs to an earlier file.
  const news = entries.filter((entry) => sequence !== undefined && entry.sequence > sequence);
  for (const { key, state } of news) {
    if (state === null) resources.delete(key);
    else resources.set(key, state);
  }
  return {
    ...{ keyID, resources },
    sequence: Math.max(sequence ?? 0, entries.at(-1)?.sequence ?? 0),
    isOpen: sequence !== undefined || journal !== undefined,
  };
}

/** Returns the text of a complete file or, with `sequence`, of a file that holds all changes up to that one. */
export function stateText({ keyID, resources }: StateContent, sequence?: number): string {
  const sorted = Object.fromEntries([...resources].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const head = sequence === undefined ? { version: WHOLE } : { version: WITH_JOURNAL, sequence };
  return `${JSON.stringify({ ...head, keyID, resources: sorted }, undefined, 1)}\n`;
}

/** The content of a file and the number of its last change, after which a journal continues. */
interface FileContent extends StateContent {
  readonly sequence: number | undefined;
}

function contentOf(path: string, text: string): FileContent {
  const content = parseJson(text);
  if (!isJsonObject(content)) throw damaged(path, '');
  const { version = WHOLE, keyID, resources: states, sequence } = content;
  if (typeof version === 'number' && version !== WHOLE && version !== WITH_JOURNAL) {
    throw new ExpectedError(
      `${path}: version ${version} of the state file is unknown; ` +
        `expected ${WHOLE} or ${WITH_JOURNAL}: use the program that wrote it`,
    );
  }
  if (typeof version !== 'number' || typeof keyID !== 'string' || !isJsonObject(states))
    throw damaged(path, '');
  if (version === WITH_JOURNAL && !Number.isSafeInteger(sequence)) throw damaged(path, '');
  const resources = new Map<string, ResourceState>();
  for (const [key, state] of Object.entries(states)) {
    if (!isResourceState(state)) throw damaged(path, ` at ${textForPeople(key, KEY_BYTES)}`);
    resources.set(key, state);
  }
  return { keyID, resources, sequence: version === WITH_JOURNAL ? Number(sequence) : undefined };
}

/** Returns the changes in a journal. Ignores the text after the last line end, which an interrupted write left. */
function entriesOf(path: string, text: string): readonly JournalEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, at) => {
      const entry = parseJson(line);
      if (!isJournalEntry(entry)) throw damaged(path, ` in line ${at + 1}`);
      return entry;
    });
}

function isJournalEntry(value: unknown): value is JournalEntry {
  if (!isJsonObject(value)) return false;
  const { sequence, key, state } = value;
  if (!Number.isSafeInteger(sequence) || typeof key !== 'string' || state === undefined) return false;
  return state === null || isResourceState(state);
}

function empty(): FileContent {
  return { keyID: '', resources: new Map(), sequence: undefined };
}

async function textOf(path: string): Promise<string | undefined> {
  return (await readTrusted(path))?.toString('utf8');
}

function damaged(path: string, where: string): ExpectedError {
  return new ExpectedError(
    `${path}: the state file is damaged${where}; restore a copy, or move it away to begin with no remembered status`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isResourceState(value: Json | ResourceState): value is ResourceState {
  if (!isJsonObject(value)) return false;
  const {
    uid,
    generation,
    specHash,
    resourceVersion,
    creationTimestamp,
    claimed,
    status,
    deletionTimestamp,
  } = value;
  return (
    [uid, specHash, creationTimestamp].every((text) => typeof text === 'string') &&
    [generation, resourceVersion].every((number) => Number.isSafeInteger(number)) &&
    typeof claimed === 'boolean' &&
    (status === undefined || isJsonObject(status)) &&
    !isDeeperThan(MAX_DEPTH, value) &&
    (deletionTimestamp === undefined || typeof deletionTimestamp === 'string') &&
    (value['retained'] === undefined || isRetained(value['retained']))
  );
}

function isRetained(value: unknown): value is RetainedManifest {
  return isJsonObject(value) && isJsonObject(value['spec']) && typeof value['spec']['source'] === 'string';
}
