import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeploymentSpec } from '../api/deployment.ts';
import { ExpectedError } from '../model/expected-error.ts';
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { textForPeople } from '../model/text-for-people.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { replaceFile } from './atomic-file.ts';
import { errorCode } from './file-tree.ts';
import { checkTrusted } from './trusted-state.ts';
import { acquireLock, type Lock } from './state-lock.ts';

/** What the API server would remember of one resource, and a folder cannot. Holds no value of a secret. */
export interface ResourceState {
  readonly uid: string;
  readonly generation: number;
  /** Keyed digest of the spec, or of the data of a Secret or ConfigMap. */
  readonly specHash: string;
  /** Counts writes and changes. */
  readonly resourceVersion: number;
  readonly creationTimestamp: string;
  readonly claimed: boolean;
  readonly status?: JsonObject;
  /** Set while the manifest is gone and the deletion is not done. */
  readonly deletionTimestamp?: string;
  /** What a deletion needs to know once the manifest is gone; kept while claimed. */
  readonly retained?: RetainedManifest;
}

/** The parts of a claimed manifest that deletion looks at. */
export interface RetainedManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Pick<
    DeploymentSpec,
    'source' | 'connectionRef' | 'deploymentRef' | 'deletionPolicy' | 'managementPolicy'
  >;
}

/** The only layout that is read and written. */
const STATE_VERSION = 1;

/** No status comes near it; what is deeper could not be written again. */
const MAX_DEPTH = 200;

/** A kind, a namespace and a name are shorter. */
const KEY_BYTES = 512;

/** How long writes that may be lost wait for others to go with them. */
const COALESCE_MS = 250;

/** How long a write that failed waits before it is tried again. */
const RETRY_MS = 5_000;

/**
 * What directory mode remembers between runs, in one file. One process at a time holds it. `set` and `delete` act at
 * once in memory and reach the file a moment later; `landed` waits until they have.
 */
export class StateFile {
  readonly path: string;
  readonly #lock: Lock;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #resources: Map<string, ResourceState>;
  #keyID: string;
  #cancelTimer: (() => void) | undefined;
  /** The write that has not begun yet: everything that changed before it begins goes with it. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, lock: Lock, content: StateContent, clock: Clock, logger: Logger) {
    this.path = path;
    this.#lock = lock;
    this.#clock = clock;
    this.#logger = logger;
    this.#resources = content.resources;
    this.#keyID = content.keyID;
  }

  /**
   * Locks and reads the file; one that does not exist is empty. Throws an ExpectedError when another process holds it,
   * when it is damaged, or when a newer version of the program wrote it.
   */
  static async open(path: string, clock: Clock, logger: Logger): Promise<StateFile> {
    const lock = await lockIn(path, clock).catch((error: unknown) => {
      if (error instanceof ExpectedError) throw error;
      const hint = 'give a --state file in a folder that this user can write to';
      throw new ExpectedError(`${path}: the state cannot be kept here (${errorCode(error)}); ${hint}`, {
        cause: error,
      });
    });
    try {
      return new StateFile(path, lock, await readState(path), clock, logger);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Which key made the hashes; '' in a new file. */
  get keyID(): string {
    return this.#keyID;
  }

  set keyID(keyID: string) {
    if (keyID === this.#keyID) return;
    this.#keyID = keyID;
    this.#changed();
  }

  get(key: string): ResourceState | undefined {
    return this.#resources.get(key);
  }

  entries(): readonly (readonly [string, ResourceState])[] {
    return [...this.#resources];
  }

  set(key: string, state: ResourceState): void {
    this.#resources.set(key, state);
    this.#changed();
  }

  delete(key: string): void {
    if (this.#resources.delete(key)) this.#changed();
  }

  /** Resolves when everything set so far would survive a loss of power; rejects when it could not be written. */
  landed(): Promise<void> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#write();
      });
    this.#last = this.#next;
    return this.#next;
  }

  /** Writes what is left and gives the lock back. Rejects when it could not be written. */
  async close(): Promise<void> {
    try {
      await this.#last.catch(() => undefined);
      if (this.#cancelTimer !== undefined) await this.landed();
    } finally {
      this.#cancelTimer?.();
      await this.#lock.release();
    }
  }

  #changed(afterMs = COALESCE_MS): void {
    this.#cancelTimer ??= this.#clock.after(afterMs, () => {
      this.landed().catch((error: unknown) => {
        this.#logger.error('the state file could not be written', {
          file: this.path,
          error: messageOf(error),
        });
      });
    });
  }

  async #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    try {
      if (!(await this.#lock.isHeld())) {
        throw new ExpectedError(`${this.path}: another process took this state over; stop one of the two`);
      }
      await replaceFile(this.path, this.#text());
    } catch (error) {
      this.#changed(RETRY_MS);
      throw error;
    }
  }

  #text(): string {
    const resources = Object.fromEntries([...this.#resources].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const content = { version: STATE_VERSION, keyID: this.#keyID, resources };
    return `${JSON.stringify(content, undefined, 1)}\n`;
  }
}

/** Locks the file, in a folder that is made where there is none. */
async function lockIn(path: string, clock: Clock): Promise<Lock> {
  await checkTrusted(path);
  const folder = dirname(path);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  // A folder of ours in somebody's repository: neither state nor key belong into version control.
  if (made !== undefined) await writeFile(join(folder, '.gitignore'), '*\n');
  return acquireLock(`${path}.lock`, clock);
}

/** What a state file holds. */
export interface StateContent {
  readonly keyID: string;
  readonly resources: Map<string, ResourceState>;
}

/**
 * Reads a state file as it stands, locked or not; one that does not exist is empty. Throws an ExpectedError when it is
 * damaged, when a newer version of the program wrote it, or when it may come from somebody else.
 */
export async function readState(path: string): Promise<StateContent> {
  await checkTrusted(path);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { keyID: '', resources: new Map() };
    throw new ExpectedError(
      `${path}: the state file cannot be read (${errorCode(error)}); give this user access to it`,
    );
  }
  const content = parseJson(text);
  if (!isJsonObject(content)) throw damaged(path, '');
  const { version = STATE_VERSION, keyID, resources: states } = content;
  if (typeof version === 'number' && version !== STATE_VERSION) {
    throw new ExpectedError(
      `${path}: version ${version} of the state file is unknown; ` +
        `expected ${STATE_VERSION}: use the program that wrote it`,
    );
  }
  if (version !== STATE_VERSION || typeof keyID !== 'string' || !isJsonObject(states))
    throw damaged(path, '');
  const resources = new Map<string, ResourceState>();
  for (const [key, state] of Object.entries(states)) {
    if (!isResourceState(state)) throw damaged(path, ` at ${textForPeople(key, KEY_BYTES)}`);
    resources.set(key, state);
  }
  return { keyID, resources };
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
