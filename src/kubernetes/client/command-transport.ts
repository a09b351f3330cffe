import { unreachableServer } from './api-error.ts';
import type { Transport } from './exchange.ts';
import type { ClusterConfig } from './load-cluster-config.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';

/**
 * The transport of a command that a person gave: where the API server cannot be reached, errors say which one that is. A
 * controller has one cluster, and its log is read by request.
 */
export function commandTransport(config: ClusterConfig, options: TransportOptions): Transport {
  const transport = createTransport(config, options);
  return {
    async request(...args) {
      try {
        return await transport.request(...args);
      } catch (error) {
        throw unreachableServer(error, config);
      }
    },
    watch: (...args) => transport.watch(...args),
    close: () => transport.close(),
  };
}
