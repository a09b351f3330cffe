import { stat } from 'node:fs/promises';
import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { type RandomBytes, readDigestKey } from '../state/digest-key.ts';
import { DirectoryObjects } from './directory-objects.ts';
import { watchFolders } from '../files/watch-folders.ts';
import { ManifestFiles, type Manifests } from '../manifests/manifest-files.ts';
import { defaultStateFile } from '../state/places.ts';
import { PassingStates } from '../state/remembered-states.ts';
import { AT_ONCE } from '../state/removals.ts';
import { journalPath, readState, type StateContent } from '../state/state-content.ts';

/** The content of a folder at one moment. */
export interface DirectoryPicture {
  readonly deployments: readonly DeploymentResource[];
  readonly connections: readonly ConnectionResource[];
  readonly problems: readonly FileProblem[];
  readonly declared: Manifests['declared'];
}

/** Options for watching a folder beside the process that manages it. */
export interface DirectoryWatchOptions {
  readonly paths: readonly string[];
  readonly stateFile?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomBytes: RandomBytes;
  readonly digester: (key: Uint8Array) => Digester;
  /** Called after every change of the picture. */
  readonly onChange: () => void;
}

/**
 * How often the state is checked. Two `stat` calls are cheap, and file systems differ in the events that they report.
 */
const STATE_POLL_MS = 250;

/** Follows manifests and their state, and leaves no trace: no lock, no key, no state. */
export class DirectoryWatch {
  readonly #options: DirectoryWatchOptions;
  readonly #stateFile: string;
  readonly #manifestFiles: ManifestFiles;
  readonly #ending = new AbortController();
  #manifests: Manifests;
  #signature = '';
  #picture: DirectoryPicture;
  #trouble: string | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(
    options: DirectoryWatchOptions,
    stateFile: string,
    read: { files: ManifestFiles; manifests: Manifests },
  ) {
    this.#options = options;
    this.#stateFile = stateFile;
    this.#manifestFiles = read.files;
    this.#manifests = read.manifests;
    this.#picture = { deployments: [], connections: [], problems: [], declared: new Map() };
  }

  /** Reads everything once and starts to watch. Throws an ExpectedError if the folder or the state cannot be read. */
  static async start(options: DirectoryWatchOptions): Promise<DirectoryWatch> {
    const stateFile = options.stateFile ?? (await defaultStateFile(options.paths));
    const files = new ManifestFiles(options.paths, { ignored: [stateFile] });
    const watch = new DirectoryWatch(options, stateFile, { files, manifests: await files.read() });
    await watch.#look();
    watch.#begin();
    return watch;
  }

  get picture(): DirectoryPicture {
    return this.#picture;
  }

  /** The reason why the last reading of the state failed. The picture then stays the previous one. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Reads everything now and returns the new picture. */
  async refresh(): Promise<DirectoryPicture> {
    this.#manifests = await this.#manifestFiles.read();
    await this.#look();
    this.#options.onChange();
    return this.#picture;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  #begin(): void {
    const { clock, logger } = this.#options;
    const { signal } = this.#ending;
    const first = this.#manifests;
    const manifests = watchFolders(
      {
        ...{ first, clock, logger },
        read: () => this.#manifestFiles.read(),
        onReading: (reading) => {
          if (reading.contentHash === this.#manifests.contentHash) return;
          this.#manifests = reading;
          void this.#changed();
        },
      },
      signal,
    );
    this.#running = Promise.all([manifests, this.#followState(signal)]);
  }

  async #followState(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.clock.sleep(STATE_POLL_MS, signal).catch(() => undefined);
      if (!signal.aborted && (await this.#signatureNow()) !== this.#signature) await this.#changed();
    }
  }

  async #changed(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
    }
    this.#options.onChange();
  }

  /** Runs the looks one after another, so that a slow, older one cannot overwrite a newer one. */
  #look(): Promise<void> {
    const look = this.#looking.then(() => this.#lookNow());
    this.#looking = look.catch(() => undefined);
    return look;
  }

  /**
   * Takes the signature of the two files before it reads them: if one is replaced meanwhile, the next poll sees that.
   */
  async #lookNow(): Promise<void> {
    this.#signature = await this.#signatureNow();
    const { clock, randomBytes } = this.#options;
    const content: StateContent = await readState(this.#stateFile);
    const key = await readDigestKey(`${this.#stateFile}.key`);
    const digester = this.#options.digester(key ?? randomBytes(32));
    const state = new PassingStates(content);
    const objects = new DirectoryObjects({
      ...{ state, digester, clock, randomBytes },
      prune: false,
      removals: AT_ONCE,
    });
    objects.apply(this.#manifests, true);
    const { problems, declared } = this.#manifests;
    this.#picture = {
      deployments: objects.deployments(),
      connections: objects.connections(),
      ...{ problems, declared },
    };
    this.#trouble = undefined;
  }

  async #signatureNow(): Promise<string> {
    const paths = [this.#stateFile, journalPath(this.#stateFile)];
    const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
    return found.map((one) => (one === undefined ? '' : `${one.ino} ${one.size} ${one.mtimeMs}`)).join('/');
  }
}
