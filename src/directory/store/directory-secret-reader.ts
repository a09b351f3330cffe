import type { DataObject, DataObjectName, SecretReader } from '../../ports/stores/secret-reader.ts';
import type { DataManifest } from '../manifests/data-manifest.ts';
import { ANY_NAMESPACE, type DirectoryObjects } from './directory-objects.ts';
import type { ResourceState } from '../state/state-content.ts';
import type { SecretFiles } from '../manifests/secret-files.ts';

/**
 * Reads the Secrets and ConfigMaps of a folder. A Secret of the folder of secret files belongs to every namespace, and
 * wins over a document of the same name: documents in a repository are often examples.
 */
export class DirectorySecretReader implements SecretReader {
  readonly #objects: DirectoryObjects;
  readonly #files: SecretFiles | undefined;

  constructor(objects: DirectoryObjects, files: SecretFiles | undefined) {
    this.#objects = objects;
    this.#files = files;
  }

  async read(name: DataObjectName): Promise<DataObject | undefined> {
    const fromFiles = name.kind === 'Secret' ? await this.#files?.read(name.name) : undefined;
    if (fromFiles !== undefined) {
      const key = { kind: name.kind, namespace: ANY_NAMESPACE, name: name.name };
      return dataObject(name, fromFiles, this.#objects.adoptData(key, fromFiles));
    }
    const document = this.#objects.data(name);
    const state = this.#objects.stateOf(name);
    return document === undefined || state === undefined ? undefined : dataObject(name, document.data, state);
  }
}

function dataObject(name: DataObjectName, data: DataManifest['data'], state: ResourceState): DataObject {
  return { name, uid: state.uid, resourceVersion: String(state.resourceVersion), data };
}
