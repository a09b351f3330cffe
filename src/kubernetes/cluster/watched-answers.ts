import type { ClusterMetrics } from '../client/cluster-metrics.ts';
import { type ApiError, isApiError } from '../client/api-error.ts';
import type { Transport } from '../client/exchange.ts';

/** Why nothing new arrives, and since when. */
export interface Silence {
  readonly why: string;
  /** The time of the last answer before the silence. */
  readonly lastMs: number;
}

/**
 * Observes the exchanges with an API server, and knows whether it answers and what it refuses to list. A new watch
 * receives nothing for a while, so its acceptance counts as an answer.
 */
export class WatchedAnswers {
  readonly metrics: ClusterMetrics;
  readonly #now: () => number;
  readonly #onChange: () => void;
  readonly #refused = new Set<string>();
  #silence: Silence | undefined;
  #lastMs: number;

  constructor(now: () => number, onChange: () => void) {
    this.#now = now;
    this.#onChange = onChange;
    this.#lastMs = now();
    const nothing = (): void => undefined;
    this.metrics = {
      ...{ heard: nothing, relisted: nothing, missed: nothing },
      // A refusal counts as an answer too, but not the failure of a server in trouble.
      requested: ({ code }) => /^[234]/.test(code) && code !== '401' && this.#answered(),
    };
  }

  /** The silence of the API server; undefined while it answers. */
  get silence(): Silence | undefined {
    return this.#silence;
  }

  /** True if the last list or watch of this path was refused for a missing right. */
  isRefused(path: string): boolean {
    return this.#refused.has(path);
  }

  /** Returns the same transport with this observer. */
  through(transport: Transport): Transport {
    const heard = (path: string): void => this.#heard(path);
    const failed = (path: string, error: unknown): void => this.#failed(path, error);
    return {
      async request(method, path, options) {
        try {
          const answer = await transport.request(method, path, options);
          heard(path);
          return answer;
        } catch (error) {
          if (method === 'GET') failed(path, error);
          throw error;
        }
      },
      async *watch(...args) {
        const [path] = args;
        try {
          for await (const line of transport.watch(...args)) {
            heard(path);
            yield line;
          }
        } catch (error) {
          failed(path, error);
          throw error;
        }
      },
      close: () => transport.close(),
    };
  }

  #heard(path: string): void {
    if (this.#refused.delete(path)) this.#onChange();
    this.#answered();
  }

  #answered(): void {
    this.#lastMs = this.#now();
    if (this.#silence === undefined) return;
    this.#silence = undefined;
    this.#onChange();
  }

  #failed(path: string, error: unknown): void {
    if (isApiError(error, 'forbidden')) {
      const known = this.#refused.has(path);
      this.#refused.add(path);
      if (!known) this.#onChange();
    } else if (isApiError(error, 'network', 'server', 'unauthorized')) this.#silent(error);
  }

  #silent({ message }: ApiError): void {
    const isNews = this.#silence === undefined;
    this.#silence = { why: message, lastMs: this.#silence?.lastMs ?? this.#lastMs };
    if (isNews) this.#onChange();
  }
}
