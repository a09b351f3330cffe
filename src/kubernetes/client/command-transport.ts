import { unreachableServer } from './api-error.ts';
import type { Transport } from './exchange.ts';
import type { ClusterConfig } from './load-cluster-config.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';

/**
 * Makes the transport for a command of a person: its errors name the API server that cannot be reached. A controller
 * has one cluster, and its log names the request.
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
