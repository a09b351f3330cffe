import type { DeploymentResource } from '../../api/deployment.ts';
import { keyText } from '../../api/metadata.ts';
import { occupiedNames } from './desired-deployment.ts';
import { PlaceIndex } from '../../base/place-index.ts';
import { connectionReferences, deploymentIDs } from '../connection/data-references.ts';

/** The keys by which one resource is found. */
interface Entry {
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly connections: readonly string[];
}

/** Finds deployment resources by keys, without a scan over all of them. */
export class ResourceIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #byID = new PlaceIndex();
  readonly #byName = new PlaceIndex();
  readonly #byConnection = new PlaceIndex();

  /** Stores the current version of a resource; undefined removes it. */
  put(text: string, resource: DeploymentResource | undefined): void {
    const before = this.#entries.get(text);
    if (before !== undefined) this.#each(before, (index, value) => index.remove(value, text));
    if (resource === undefined) {
      this.#entries.delete(text);
      return;
    }
    const entry: Entry = {
      ids: deploymentIDs(resource),
      names: occupiedNames(resource),
      connections: connectionReferences(resource).map(keyText),
    };
    this.#entries.set(text, entry);
    this.#each(entry, (index, value) => index.add(value, text));
  }

  /** Returns the resources that are bound to a deployment of the service, or refer to its id. */
  boundTo(deploymentID: string): readonly string[] {
    return this.#byID.find(deploymentID);
  }

  /** Returns the resources that look for a deployment by this name, or are bound to one by it. */
  named(name: string): readonly string[] {
    return this.#byName.find(name);
  }

  /** Returns the resources that use a connection, by the text of its key, or would use it if it existed. */
  usersOf(connection: string): readonly string[] {
    return this.#byConnection.find(connection);
  }

  #each({ ids, names, connections }: Entry, work: (index: PlaceIndex, value: string) => void): void {
    for (const id of ids) work(this.#byID, id);
    for (const name of names) work(this.#byName, name);
    for (const connection of connections) work(this.#byConnection, connection);
  }
}
