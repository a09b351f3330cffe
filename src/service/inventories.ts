import { DEFAULTS } from '../model/connection.ts';
import { ConnectionError } from '../model/failure.ts';
import type { Listed } from '../model/inventory.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { ObservedRepository } from '../model/repository.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPriority } from '../ports/external-client.ts';
import { untilAborted } from '../ports/abort.ts';
import type { ReadAnswer } from './deployment-list.ts';
import type { ServiceAnswer, ServiceRequest } from './exchange.ts';
import { providersOf, PROVIDERS_REQUEST, repositoriesOf, repositoriesRequest } from './inventory.ts';
import { observedProvider, observedRepository } from './mapping.ts';
import { SharedRead } from './shared-read.ts';

/** What a list was read for, and how recent it must be. */
export interface InventoryNeed {
  readonly notOlderThanMs: number;
  readonly priority: CallPriority;
}

/** What inventories work with. */
export interface InventoriesOptions {
  readonly clock: Clock;
  readonly readAnswer: ReadAnswer;
  /** Aborts when the connection ends. */
  readonly ending: AbortSignal;
}

/**
 * The lists of one address beside that of its deployments: OAuth providers (4.1), and the repositories of each
 * integration (4.2). Each is read for everybody at once. A service that does not give them is usable all the same, so
 * what is wrong is part of the list and no error.
 */
export class Inventories {
  readonly #options: InventoriesOptions;
  readonly #providers: SharedRead<Listed<ObservedProvider>>;
  readonly #repositories = new Map<string, SharedRead<Listed<ObservedRepository>>>();

  constructor(options: InventoriesOptions) {
    this.#options = options;
    this.#providers = new SharedRead(options.clock, (priority) =>
      this.#list(PROVIDERS_REQUEST, priority, (answer) => providersOf(answer).items.map(observedProvider)),
    );
  }

  /** The providers of the organization. */
  providers(
    { notOlderThanMs, priority }: InventoryNeed,
    signal: AbortSignal,
  ): Promise<Listed<ObservedProvider>> {
    return untilAborted(this.#providers.ensure(notOlderThanMs, priority), signal);
  }

  /** The repositories of a code-host integration; none where there is no such integration. */
  repositories(
    integrationID: string,
    { notOlderThanMs, priority }: InventoryNeed,
    signal: AbortSignal,
  ): Promise<Listed<ObservedRepository>> {
    this.#forgetOld();
    const known =
      this.#repositories.get(integrationID) ??
      new SharedRead(this.#options.clock, (asked) => this.#listRepositories(integrationID, asked));
    this.#repositories.set(integrationID, known);
    return untilAborted(known.ensure(notOlderThanMs, priority), signal);
  }

  /** Lists that nobody would be served with any more. */
  #forgetOld(): void {
    const oldestMs = this.#options.clock.now() - DEFAULTS.resyncMs;
    for (const [id, { beganMs }] of this.#repositories) if (beganMs < oldestMs) this.#repositories.delete(id);
  }

  async #listRepositories(
    integrationID: string,
    priority: CallPriority,
  ): Promise<Listed<ObservedRepository>> {
    const request = repositoriesRequest(integrationID);
    return this.#list(request, priority, (answer) => repositoriesOf(answer).items.map(observedRepository));
  }

  async #list<T>(
    request: ServiceRequest,
    priority: CallPriority,
    itemsOf: (answer: ServiceAnswer) => readonly T[],
  ): Promise<Listed<T>> {
    const { readAnswer, ending } = this.#options;
    try {
      const answer = await readAnswer(() => request, priority, ending);
      return { items: itemsOf(answer), more: answer.headers['link'] !== undefined };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (error.status === 404 && request.operation === 'repositories') return { items: [], more: false };
      return { items: [], more: false, trouble: error };
    }
  }
}
