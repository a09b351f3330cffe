import { type ConnectionName, connectionText } from '../../model/connection/connection.ts';

/** The connections that this process serves, and the passes over their deployments that are under way. */
export class ServedConnections {
  readonly #served = new Set<string>();
  readonly #passes = new Map<string, number>();
  readonly #drained = new Map<string, PromiseWithResolvers<void>>();

  /** True from `begin` to `end` for a connection. */
  has(name: ConnectionName): boolean {
    return this.#served.has(connectionText(name));
  }

  begin(name: ConnectionName): void {
    this.#served.add(connectionText(name));
  }

  /** Lets no further pass begin. */
  end(name: ConnectionName): void {
    this.#served.delete(connectionText(name));
  }

  /** Resolves when no pass over a deployment of the connection is under way. */
  async drained(name: ConnectionName): Promise<void> {
    const text = connectionText(name);
    if (!this.#passes.has(text)) return;
    const waiting = this.#drained.get(text) ?? Promise.withResolvers<void>();
    this.#drained.set(text, waiting);
    await waiting.promise;
  }

  /** Runs a pass over a deployment of the connection, which counts as under way until it ends. */
  async during<T>(name: ConnectionName, pass: () => Promise<T>): Promise<T> {
    const text = connectionText(name);
    this.#passes.set(text, (this.#passes.get(text) ?? 0) + 1);
    try {
      return await pass();
    } finally {
      const left = (this.#passes.get(text) ?? 1) - 1;
      if (left > 0) this.#passes.set(text, left);
      else {
        this.#passes.delete(text);
        this.#drained.get(text)?.resolve();
        this.#drained.delete(text);
      }
    }
  }
}
