import { randomBytes } from 'node:crypto';
import type { ClusterAdapter } from '../kubernetes/cluster-adapter.ts';
import { loadOrCreateDigestKey } from '../kubernetes/digest-key.ts';
import type { Digester } from '../ports/digester.ts';
import { hmacDigester } from '../runtime/digester.ts';

/** The digests of a process in a cluster, from the moment its key is loaded: only a leader may make one. */
export class ClusterDigester implements Digester {
  readonly #adapter: Pick<ClusterAdapter, 'transport' | 'operatorNamespace'>;
  #digester: Digester | undefined;

  constructor(adapter: Pick<ClusterAdapter, 'transport' | 'operatorNamespace'>) {
    this.#adapter = adapter;
  }

  /** Asks the API server for the key, and makes one where there is none. */
  async load(): Promise<void> {
    const { transport, operatorNamespace } = this.#adapter;
    this.#digester = hmacDigester(await loadOrCreateDigestKey(transport, operatorNamespace, randomBytes(32)));
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
