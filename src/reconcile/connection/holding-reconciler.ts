import type { DeploymentResource } from '../../api/deployment.ts';
import { type ConnectionResource, isHeld } from '../../api/connection.ts';
import { type Key, keyText } from '../../api/metadata.ts';
import { type ConnectionName, connectionNameOf, connectionText } from '../../model/connection/connection.ts';
import { needsConnection } from '../../model/decide/deletion.ts';
import { connectionReferences } from '../../model/connection/data-references.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import type { ConnectionHold } from './connection-hold.ts';

/** The parts of the reconciler. */
export interface HoldingParts {
  readonly store: Pick<DesiredStore, 'get'>;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly hold: ConnectionHold;
  readonly logger: Logger;
  /** Returns the connection that a resource uses, if there is one. */
  readonly connectionOf: (resource: DeploymentResource) => ConnectionName | undefined;
  /** True for a connection that this process serves. Another process holds the others, for its own resources. */
  readonly serves: (connection: ConnectionResource) => boolean;
  /** Starts a pass of the connection itself. */
  readonly wake: (name: ConnectionName) => void;
}

type Needs = readonly ConnectionName[];

/** Runs the passes of deployments, and after each of them checks whether its connection is needed as before (R17). */
export class HoldingReconciler implements Reconciler {
  readonly #parts: HoldingParts;
  readonly #inner: Reconciler;
  /**
   * The needs of each resource that this process has seen: first the connection that it needs, if any, then all those
   * that it may use.
   */
  readonly #needs = new Map<string, Needs>();

  constructor(inner: Reconciler, parts: HoldingParts) {
    this.#inner = inner;
    this.#parts = parts;
  }

  async reconcile(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue> {
    // This process does not know the sightings of an earlier one: the first pass may be the one that ends the need.
    const before = this.#needs.get(keyText(key)) ?? (await this.#needOf(key));
    try {
      return await this.#inner.reconcile(key, signal, overtaken);
    } finally {
      await this.#follow(key, before ?? []);
    }
  }

  async #follow(key: Key, before: Needs): Promise<void> {
    const seen = this.#needs.get(keyText(key));
    const now = await this.#needOf(key);
    if (now === undefined) this.#needs.delete(keyText(key));
    else this.#needs.set(keyText(key), now);
    const after = now ?? [];
    const same = textOf(before) === textOf(after);
    if (same && seen !== undefined) return;
    const begins = same || before.length === 0;
    for (const name of namesIn([...before, ...after])) await this.#settle(name, begins);
  }

  /** Returns undefined if there is no such resource. */
  async #needOf(key: Key): Promise<Needs | undefined> {
    const resource = await this.#parts.store.get(key);
    if (resource === undefined) return undefined;
    if (!needsConnection(resource)) return [];
    const used = this.#parts.connectionOf(resource);
    const others = connectionReferences(resource).map(connectionNameOf);
    return used === undefined ? others : [used, ...others];
  }

  /**
   * Leaves the rest to a pass of the connection, which repeats until it is done. A connection that waits for its
   * deletion shows the number of its resources in its status, so it needs a pass as well.
   */
  async #settle(name: ConnectionName, begins: boolean): Promise<void> {
    const { connections, hold, serves, wake, logger } = this.#parts;
    try {
      const connection = await connections.get(name);
      if (connection === undefined) return;
      if (connection.metadata.deletionTimestamp !== undefined) return wake(name);
      // If many resources need one connection, most of them find it held; counting all users for each of them would
      // take long.
      if (begins && isHeld(connection)) return;
      if (!serves(connection)) return wake(name);
      if ((await hold.settle(connection, name)) === 'stale') wake(name);
    } catch (error) {
      logger.debug('whether a connection is needed is looked at later', { error });
      wake(name);
    }
  }
}

/** Returns the names of the connections, each once. */
function namesIn(needs: Needs): Iterable<ConnectionName> {
  return new Map(needs.map((name) => [connectionText(name), name])).values();
}

function textOf(needs: Needs): string {
  return needs.map(connectionText).join(' ');
}
