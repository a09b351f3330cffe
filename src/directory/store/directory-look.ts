import { stat } from 'node:fs/promises';
import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { accessBy } from './access-by.ts';
import { type RandomBytes, loadOrCreateDigestKey, readDigestKey } from '../state/digest-key.ts';
import { makeStateFolder } from '../state/state-file.ts';
import { DirectoryObjects } from './directory-objects.ts';
import { lineEndWarnings } from '../manifests/line-end-warnings.ts';
import { ManifestFiles, type Manifests, type ReadStdin } from '../manifests/manifest-files.ts';
import { refusePruneOfSome } from '../manifests/refuse-prune-of-some.ts';
import { defaultStateFile, secretFolder } from '../state/places.ts';
import { PassingStates } from '../state/remembered-states.ts';
import { AT_ONCE } from '../state/removals.ts';
import { DirectorySecretReader } from './directory-secret-reader.ts';
import { readState } from '../state/state-content.ts';
import { cannotKeepState } from '../files/write-trouble.ts';

/** Selects the manifests, their state and their secrets. */
export interface DirectoryLookOptions {
  /** Folders, files or, for `-`, standard input. May be empty. */
  readonly paths: readonly string[];
  /** Default: the place beside the manifests of the first path, if a state exists there. */
  readonly stateFile?: string | undefined;
  /** A folder with `<secret>/<key>` files. */
  readonly secretsDir?: string | undefined;
  /** The namespace of documents that name none. Default: `default`. */
  readonly namespace?: string | undefined;
  /** True if a missing manifest means that its resource is being deleted. */
  readonly prune?: boolean | undefined;
  /** True if a later process must be able to compare the digests. A missing key is then created beside the state. */
  readonly makesKey?: boolean | undefined;
}

/** The dependencies of a look. */
export interface DirectoryLookEnvironment {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly digester: (key: Uint8Array) => Digester;
  readonly readStdin: ReadStdin;
}

/** The manifests at one moment, with their remembered states. */
export interface DirectoryLook {
  readonly deployments: readonly DeploymentResource[];
  readonly connections: readonly ConnectionResource[];
  readonly problems: readonly FileProblem[];
  /** The declared objects and their places, by the texts of their keys. */
  readonly declared: Manifests['declared'];
  readonly connectionAccess: ConnectionAccess;
  readonly secretReader: SecretReader;
  /** Makes digests with the key of the state. Without that key, it uses a temporary key that no later process has. */
  readonly digester: Digester;
  /** The state file that was read, or absent if none exists. */
  readonly stateFile: string | undefined;
}

/**
 * Reads manifests and their state once, and leaves no trace: no lock, no key (except with `makesKey`), no state. It may
 * run while another process holds the state. Throws an ExpectedError if the state or the folder of secrets cannot be
 * used.
 */
export async function lookAtDirectory(
  { paths, secretsDir, prune = false, namespace, makesKey, ...options }: DirectoryLookOptions,
  { clock, randomBytes, readStdin, digester: digesterOf }: DirectoryLookEnvironment,
): Promise<DirectoryLook> {
  const secretFiles = secretsDir === undefined ? undefined : await secretFolder(secretsDir);
  if (prune && options.stateFile === undefined) await refusePruneOfSome(paths);
  const place = options.stateFile ?? (await placeOfState(paths, makesKey === true));
  const stateFile = await existing(place);
  const content = stateFile === undefined ? undefined : await readState(stateFile);
  const key = place === undefined ? undefined : await keyAt(place, makesKey === true, randomBytes);
  const digester = digesterOf(key ?? randomBytes(32));
  const state = new PassingStates(content ?? { keyID: '', resources: new Map() });
  const objects = new DirectoryObjects({ state, digester, clock, randomBytes, prune, removals: AT_ONCE });
  const ignored = stateFile === undefined ? [] : [stateFile];
  const manifests = await new ManifestFiles(paths, { readStdin, ignored, namespace }).read();
  objects.apply(manifests, true);
  return {
    deployments: objects.deployments(),
    connections: objects.connections(),
    problems: [...manifests.problems, ...(await lineEndWarnings(manifests, secretFiles))],
    declared: manifests.declared,
    connectionAccess: accessBy(objects),
    secretReader: new DirectorySecretReader(objects, secretFiles),
    digester,
    stateFile,
  };
}

async function keyAt(
  stateFile: string,
  makesKey: boolean,
  randomBytes: RandomBytes,
): Promise<Uint8Array | undefined> {
  const keyFile = `${stateFile}.key`;
  if (!makesKey) return readDigestKey(keyFile);
  await makeStateFolder(stateFile).catch((error: unknown) => {
    throw cannotKeepState(keyFile, error);
  });
  return loadOrCreateDigestKey(keyFile, randomBytes);
}

/**
 * Returns the path of the state. If it is not needed, returns undefined for manifests that do not exist, since the
 * reading reports those as problems.
 */
async function placeOfState(paths: readonly string[], isNeeded: boolean): Promise<string | undefined> {
  const place = defaultStateFile(paths);
  return isNeeded ? place : place.catch(() => undefined);
}

async function existing(file: string | undefined): Promise<string | undefined> {
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
  return found === undefined ? undefined : file;
}
