import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { type FileProblem, problemText } from '../../api/file-problem.ts';
import type { ResourceIndex } from '../../model/desired/resource-index.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Namespaces } from '../../ports/stores/namespaces.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { changeSources, type DirectorySources } from './change-sources.ts';
import { accessBy } from './access-by.ts';
import { DirectoryConnectionStore } from './directory-connection-store.ts';
import { loadOrCreateDigestKey, type RandomBytes } from '../state/digest-key.ts';
import { ANY_NAMESPACE, DirectoryObjects, keyFrom } from './directory-objects.ts';
import { changedSecrets, type DirectoryReading, readDirectory } from './directory-reading.ts';
import { DirectoryStore } from './directory-store.ts';
import { EventLog } from './event-log.ts';
import { watchFolders } from '../files/watch-folders.ts';
import { ManifestFiles, type Manifests, type ReadStdin } from '../manifests/manifest-files.ts';
import { refusePruneOfSome } from '../manifests/refuse-prune-of-some.ts';
import { defaultStateFile, secretFolder } from '../state/places.ts';
import { AT_ONCE, REMOVAL_GRACE_MS, type RemovalRules } from '../state/removals.ts';
import { DirectorySecretReader } from './directory-secret-reader.ts';
import { StateFile } from '../state/state-file.ts';

/** Selects the manifests and the meaning of a missing manifest. */
export interface DirectoryOptions {
  /** Folders or files. */
  readonly paths: readonly string[];
  /** Default: `.dms-operator/state.json` in the first folder, or beside the first file. */
  readonly stateFile?: string | undefined;
  /** A folder with `<secret>/<key>` files. */
  readonly secretsDir?: string | undefined;
  /** True if a missing manifest deletes its resource. Otherwise the operator only stops managing the resource. */
  readonly prune: boolean;
  /** True if pruning may go on when more than ten manifests, or more than half of them, are missing at once. */
  readonly pruneMany?: boolean;
  /** How long a manifest must be missing before its resource is deleted, in milliseconds. Default: 30 s. */
  readonly pruneAfterMs?: number | undefined;
  /** True if the manifests are read only once. Otherwise the adapter follows their changes. */
  readonly once?: boolean;
}

/** The dependencies of the adapter. */
export interface DirectoryEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  /** Makes keyed digests with the key of the folder. */
  readonly digester: (key: Uint8Array) => Digester;
  /** Reads the manifests of the path `-`, standard input. */
  readonly readStdin?: ReadStdin;
  /** Manifests that the caller has just read; the adapter does not read them again. */
  readonly manifests?: Manifests;
}

/** Serves the ports of the core from a folder of manifests. */
export interface DirectoryAdapter {
  readonly deploymentStore: DesiredStore;
  readonly connectionStore: ConnectionStore;
  readonly connectionAccess: ConnectionAccess;
  readonly namespaces: Namespaces;
  readonly secretReader: SecretReader;
  readonly events: EventRecorder;
  readonly sources: DirectorySources;
  readonly digester: Digester;
  /** Returns the problems of the last reading of the manifests. */
  problems(): readonly FileProblem[];
  /** Returns every Deployment resource, including those being deleted. */
  list(): readonly DeploymentResource[];
  /**
   * Finds Deployment resources by the deployment that they are bound to or look for, and by the connection that they
   * use.
   */
  readonly index: ResourceIndex;
  /** Returns the Deployment resource whose key has this text. */
  deployment(text: string): DeploymentResource | undefined;
  /** Returns every connection of either kind. */
  listConnections(): readonly ConnectionResource[];
  /** Watches for changes until `signal` aborts or `stop` is called. The first manifests are available before. */
  start(signal: AbortSignal): Promise<void>;
  /** Ends the watch, writes the pending state and releases its lock. A second call waits for the first. */
  stop(): Promise<void>;
}

/**
 * Locks the state, reads the manifests once and builds the adapter. Reports problems in manifests through `problems`
 * and the log. Throws an ExpectedError if the state or the folder of secrets cannot be used.
 */
export async function openDirectory(
  options: DirectoryOptions,
  { clock, logger, randomBytes, readStdin, ...environment }: DirectoryEnvironment,
): Promise<DirectoryAdapter> {
  if (options.prune && options.stateFile === undefined) await refusePruneOfSome(options.paths);
  const stateFile = options.stateFile ?? (await defaultStateFile(options.paths));
  const secretFiles = options.secretsDir === undefined ? undefined : await secretFolder(options.secretsDir);
  const state = await StateFile.open(stateFile, clock, logger);
  try {
    const digester = environment.digester(await loadOrCreateDigestKey(`${stateFile}.key`, randomBytes));
    const manifestFiles = new ManifestFiles(options.paths, { ignored: [stateFile], readStdin });
    const read = (manifests?: Manifests): Promise<DirectoryReading> =>
      readDirectory({ manifestFiles, secretFiles, digester, manifests });
    const { prune, once = false } = options;
    const removals = removalsOf(options);
    const objects = new DirectoryObjects({ state, digester, clock, randomBytes, prune, removals });
    const watching = new Watching(objects, await read(environment.manifests), { logger, once, prune });
    let stopped: Promise<void> | undefined;
    return {
      deploymentStore: new DirectoryStore(objects),
      connectionStore: new DirectoryConnectionStore(objects),
      connectionAccess: accessBy(objects),
      namespaces: { isTerminating: () => false },
      secretReader: new DirectorySecretReader(objects, secretFiles),
      events: new EventLog(logger),
      sources: changeSources(objects),
      digester,
      problems: () => watching.last.manifests.problems,
      list: () => objects.deployments(),
      index: objects.index,
      deployment: (text) => objects.deployment(keyFrom(text)),
      listConnections: () => objects.connections(),
      start: async (signal) => watching.start(read, clock, signal),
      stop: () => (stopped ??= watching.stop().then(() => state.close())),
    };
  } catch (error) {
    await state.close();
    throw error;
  }
}

/**
 * Returns how long a manifest must be missing, and whether many may be missing at once, before resources are deleted.
 */
function removalsOf({ once = false, pruneMany = false, pruneAfterMs }: DirectoryOptions): RemovalRules {
  return once ? AT_ONCE : { graceMs: pruneAfterMs ?? REMOVAL_GRACE_MS, many: pruneMany };
}

/** Applies readings to the objects, and logs their problems whenever these change. */
class Watching {
  readonly #objects: DirectoryObjects;
  readonly #logger: Logger;
  readonly #once: boolean;
  readonly #prune: boolean;
  readonly #ending = new AbortController();
  #told: ReadonlySet<string> = new Set();
  #empty: ReadonlySet<string> = new Set();
  #wrong: ReadonlySet<string> = new Set();
  #running: Promise<void> | undefined;
  last: DirectoryReading;

  constructor(
    objects: DirectoryObjects,
    first: DirectoryReading,
    { logger, once, prune }: { readonly logger: Logger; readonly once: boolean; readonly prune: boolean },
  ) {
    this.#objects = objects;
    this.#logger = logger;
    this.#once = once;
    this.#prune = prune;
    this.last = first;
    this.#take(first, once);
  }

  start(read: () => Promise<DirectoryReading>, clock: Clock, signal: AbortSignal): void {
    if (this.#once) return;
    this.#running ??= watchFolders(
      {
        first: this.last,
        read,
        onReading: (reading, settled) => this.#take(reading, settled),
        onUnsettled: ({ manifests }) => this.#objects.seen(manifests),
        onUnchanged: ({ manifests }) => this.#prune && this.#apply(manifests, true),
        clock,
        logger: this.#logger,
      },
      AbortSignal.any([signal, this.#ending.signal]),
    );
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  #take(reading: DirectoryReading, settled: boolean): void {
    const before = this.last;
    this.last = reading;
    this.#log(reading);
    this.#apply(reading.manifests, settled);
    for (const name of changedSecrets(before.secretDigests, reading.secretDigests)) {
      this.#objects.tell({ kind: 'Secret', namespace: ANY_NAMESPACE, name });
    }
  }

  /**
   * Applies manifests and logs the outcome. An unchanged reading matters only with `--prune`: a grace time may have
   * ended.
   */
  #apply(manifests: Manifests, settled: boolean): void {
    const { gone, leaving, back, held } = this.#objects.apply(manifests, settled);
    for (const key of gone) {
      if (this.#prune) this.#logger.warn('a manifest did not come back; its resource is pruned', { ...key });
      else this.#logger.info('a manifest is gone', { ...key });
    }
    for (const { key, dueMs } of leaving) {
      const at = new Date(dueMs).toISOString();
      this.#logger.warn('a manifest is gone; its resource is pruned unless it comes back', { ...key, at });
    }
    for (const key of held)
      this.#logger.error(
        'more than ten manifests, or more than half, are gone at once; nothing is pruned without --prune-many',
        { ...key },
      );
    for (const key of back) this.#logger.info('a manifest is back; its resource is not pruned', { ...key });
  }

  #log({ manifests }: DirectoryReading): void {
    const texts = new Map(manifests.problems.map((problem) => [problemText(problem), problem.severity]));
    for (const [text, severity] of texts) {
      if (this.#told.has(text)) continue;
      if (severity === 'error') this.#logger.error(text);
      else this.#logger.warn(text);
    }
    const wrong = filesInError(manifests);
    const sound = new Set([...manifests.declared.values()].map(({ file }) => file));
    for (const file of this.#wrong)
      if (sound.has(file) && !wrong.has(file)) this.#logger.info('the file can be read again', { file });
    for (const folder of manifests.empty) {
      if (this.#empty.has(folder)) continue;
      this.#logger.warn('there are no manifests; nothing is removed because of that', { folder });
    }
    for (const [kind, count] of manifests.ignored)
      this.#logger.debug('documents of another kind', { kind, count });
    this.#told = new Set(texts.keys());
    this.#empty = new Set(manifests.empty);
    this.#wrong = wrong;
  }
}

function filesInError({ problems }: Manifests): ReadonlySet<string> {
  return new Set(problems.filter(({ severity }) => severity === 'error').map(({ file }) => file));
}
