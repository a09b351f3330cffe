import { randomBytes } from 'node:crypto';
import type { Key } from '../../api/metadata.ts';
import type { ClusterAdapter } from '../../kubernetes/cluster/cluster-adapter.ts';
import { loadOrCreateDigestKey } from '../../kubernetes/stores/digest-key.ts';
import { isRetryable } from '../../kubernetes/client/api-error.ts';
import { DIGEST_KEY_SECRET } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { Backoff } from '../../runtime/controller/backoff.ts';
import { hmacDigester } from '../../runtime/process/hmac-digester.ts';

/**
 * The longest pause between attempts: a process that cannot reach the API server at its start keeps trying, as watches
 * do.
 */
const LONGEST_PAUSE_MS = 30_000;

/**
 * The digests of a process in a cluster. They need the key, which is loaded late because only a leader may create one.
 */
export class ClusterDigester implements Digester {
  readonly #adapter: Pick<ClusterAdapter, 'transport' | 'operatorNamespace'>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #digester: Digester | undefined;

  constructor(
    adapter: Pick<ClusterAdapter, 'transport' | 'operatorNamespace'>,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#adapter = adapter;
    this.#clock = clock;
    this.#logger = logger;
  }

  /**
   * Reads the key from the API server, or creates one. Retries transient errors until `signal` aborts. Throws
   * errors that do not pass by themselves, such as a missing right.
   */
  async load(signal: AbortSignal): Promise<void> {
    const { transport, operatorNamespace: namespace } = this.#adapter;
    const key: Key = { kind: 'Secret', namespace, name: DIGEST_KEY_SECRET };
    const backoff = new Backoff({ clock: this.#clock, capMs: LONGEST_PAUSE_MS });
    for (;;) {
      try {
        this.#digester = hmacDigester(await loadOrCreateDigestKey(transport, namespace, randomBytes(32)));
        return;
      } catch (error) {
        if (!isRetryable(error)) throw error;
        this.#logger.warn('the digest key cannot be read yet', { error });
        await this.#clock.sleep(backoff.next(key), signal);
      }
    }
  }

  get keyID(): string {
    return this.#loaded().keyID;
  }

  digest(text: string): string {
    return this.#loaded().digest(text);
  }

  hex(text: string): string {
    return this.#loaded().hex(text);
  }

  fingerprint(text: string): string {
    return this.#loaded().fingerprint(text);
  }

  #loaded(): Digester {
    if (this.#digester === undefined) throw new Error('the digest key is not loaded yet');
    return this.#digester;
  }
}
