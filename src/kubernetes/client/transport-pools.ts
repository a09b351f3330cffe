import { createSecureContext } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { TlsMaterial } from './load-cluster-config.ts';

/** The number of exchanges at the same time. Watches have a pool of their own, so that they cannot fill this one. */
const CONNECTIONS = 32;
/** The API server drops an idle connection after 90 s, so this is shorter. */
const KEEP_ALIVE_MS = 60_000;

/** The connections made with one set of TLS material. */
interface Pools {
  readonly tls: TlsMaterial;
  readonly made: string;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

/** Pools of connections to one API server, one for each set of TLS material. */
export class TransportPools {
  readonly #proxyURL: string | undefined;
  #pools: Pools | undefined;
  #closed = false;

  constructor(proxyURL: string | undefined) {
    this.#proxyURL = proxyURL;
  }

  /** Returns the pools for this material; pools with older certificates end with their last exchange. */
  for(tls: TlsMaterial): Pick<Pools, 'calls' | 'watches'> {
    if (this.#closed) throw new Error('the transport was closed');
    const current = this.#pools;
    if (current?.tls === tls) return current;
    const made = fingerprint(tls);
    if (current?.made === made) {
      this.#pools = { ...current, tls };
      return current;
    }
    const pool = poolMaker(this.#proxyURL, tls);
    const pools = { tls, made, calls: pool(CONNECTIONS), watches: pool(null) };
    this.#pools = pools;
    void Promise.allSettled([current?.calls.close(), current?.watches.close()]);
    return pools;
  }

  /** Ends every connection; exchanges under way fail. */
  async close(): Promise<void> {
    const pools = this.#pools;
    this.#closed = true;
    this.#pools = undefined;
    await Promise.allSettled([pools?.calls.destroy(), pools?.watches.destroy()]);
  }
}

/** Returns a function that makes pools, with a limit for their connections. It parses certificates and keys once. */
function poolMaker(
  proxyURL: string | undefined,
  { ca, cert, key, ...tls }: TlsMaterial,
): (connections: number | null) => Dispatcher {
  const secureContext = createSecureContext({ ca, cert, key });
  const connect = { ...tls, secureContext, keepAlive: true, keepAliveInitialDelay: 30_000 };
  return (connections) => {
    const common = {
      connections,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The callers keep the deadlines, over the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (proxyURL === undefined) return new Agent({ ...common, connect });
    return new ProxyAgent({ ...common, uri: proxyURL, requestTls: connect });
  };
}

function fingerprint(tls: TlsMaterial): string {
  const text = (value: string | Buffer | undefined): string | undefined => value?.toString();
  return JSON.stringify([
    text(tls.ca),
    text(tls.cert),
    text(tls.key),
    tls.servername,
    tls.rejectUnauthorized,
  ]);
}
