import { DEFAULTS } from '../../model/connection/connection.ts';
import { ConnectionError } from '../../model/connection/failure.ts';
import type { Listed, ObservedProvider, ObservedRepository } from '../../model/external/inventory.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { ReadAnswer } from './deployment-list.ts';
import type { ServiceAnswer, ServiceRequest } from '../http/exchange.ts';
import { PROVIDERS_REQUEST, providersOf, repositoriesOf, repositoriesRequest } from './inventory.ts';
import { type KeptShare, keptSize } from '../limits/kept-room.ts';
import { observedProvider, observedRepository } from './observed-deployment.ts';

/** One read that all callers share: its newest result serves everyone for whom it is recent enough. */
class SharedRead<T> {
  readonly #clock: Clock;
  readonly #read: (priority: CallPriority) => Promise<T>;
  #newest: { readonly beganMs: number; readonly result: Promise<T> } | undefined;

  constructor(clock: Clock, read: (priority: CallPriority) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** The time at which the newest read began, even if it is still under way. */
  get beganMs(): number {
    return this.#newest?.beganMs ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns the result of a read that began at or after a time: the newest one, or a new one. Rejects as the read
   * does.
   */
  ensure(notOlderThanMs: number, priority: CallPriority): Promise<T> {
    if (this.#newest !== undefined && this.beganMs >= notOlderThanMs) return this.#newest.result;
    const beganMs = this.#clock.now();
    const result = this.#read(priority);
    const begun = { beganMs, result };
    this.#newest = begun;
    // A failed read has no result for others.
    result.catch(() => {
      if (this.#newest === begun) this.#newest = undefined;
    });
    return result;
  }
}

/** The urgency of a read, and how recent its result must be. */
export interface InventoryNeed {
  readonly notOlderThanMs: number;
  readonly priority: CallPriority;
}

/** The parts of inventories. */
export interface InventoriesOptions {
  readonly clock: Clock;
  readonly readAnswer: ReadAnswer;
  /** Makes a share of the room for a list. */
  readonly newShare: () => KeptShare;
  /** Aborts when the connection ends. */
  readonly ending: AbortSignal;
}

/**
 * The other lists of one address: OAuth providers (4.1), and the repositories of each integration (4.2). All
 * resources share each read. A service without these lists is still usable, so a problem is a part of the list and no
 * error.
 */
export class Inventories {
  readonly #options: InventoriesOptions;
  readonly #providers: KeptList<ObservedProvider>;
  readonly #repositories = new Map<string, KeptList<ObservedRepository>>();

  constructor(options: InventoriesOptions) {
    this.#options = options;
    this.#providers = this.#newList(PROVIDERS_REQUEST, (answer) =>
      providersOf(answer).items.map(observedProvider),
    );
  }

  /** Returns the providers of the organization. */
  providers(
    { notOlderThanMs, priority }: InventoryNeed,
    signal: AbortSignal,
  ): Promise<Listed<ObservedProvider>> {
    return untilAborted(this.#providers.read.ensure(notOlderThanMs, priority), signal);
  }

  /** Returns the repositories of a code-host integration; none if there is no such integration. */
  repositories(
    integrationID: string,
    { notOlderThanMs, priority }: InventoryNeed,
    signal: AbortSignal,
  ): Promise<Listed<ObservedRepository>> {
    this.#forgetOld();
    const known =
      this.#repositories.get(integrationID) ??
      this.#newList(repositoriesRequest(integrationID), (answer) =>
        repositoriesOf(answer).items.map(observedRepository),
      );
    this.#repositories.set(integrationID, known);
    return untilAborted(known.read.ensure(notOlderThanMs, priority), signal);
  }

  /** Forgets everything for good. */
  stop(): void {
    for (const { share } of [this.#providers, ...this.#repositories.values()]) share.leave();
  }

  /** Drops lists that are too old to serve a request. */
  #forgetOld(): void {
    const oldestMs = this.#options.clock.now() - DEFAULTS.resyncMs;
    for (const [id, { read, share }] of this.#repositories) {
      if (read.beganMs >= oldestMs) continue;
      share.leave();
      this.#repositories.delete(id);
    }
  }

  #newList<T>(request: ServiceRequest, itemsOf: (answer: ServiceAnswer) => readonly T[]): KeptList<T> {
    const share = this.#options.newShare();
    const use = (answer: ServiceAnswer): Listed<T> => {
      const items = itemsOf(answer);
      share.take({ read: 0, kept: keptSize(JSON.stringify(items)) });
      share.settle();
      return { items, more: answer.headers['link'] !== undefined };
    };
    const read = new SharedRead(this.#options.clock, async (priority) => {
      try {
        return await this.#options.readAnswer(
          { request: () => request, priority, use },
          this.#options.ending,
        );
      } catch (error) {
        share.leave();
        if (!(error instanceof ConnectionError)) throw error;
        if (error.status === 404 && request.operation === 'repositories') return { items: [], more: false };
        return { items: [], more: false, trouble: error };
      }
    });
    return { read, share };
  }
}

/** A list, and its share of the room. */
interface KeptList<T> {
  readonly read: SharedRead<Listed<T>>;
  readonly share: KeptShare;
}
