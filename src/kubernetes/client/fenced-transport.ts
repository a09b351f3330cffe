import type { Fence } from '../../ports/process/fence.ts';
import { ApiError } from './api-error.ts';
import type { Transport } from './exchange.ts';

/**
 * Makes the transport of a process that may write only while its fence is open. When the fence closes, it aborts writes
 * under way and starts none. Reads and watches continue, since a standby process follows all changes.
 */
export function fencedTransport(transport: Transport, fence: Fence): Transport {
  return {
    async request(method, path, options = {}) {
      if (method === 'GET') return transport.request(method, path, options);
      if (!fence.isOpen())
        throw new ApiError(`${method} ${path}: this replica is not the leader`, { kind: 'aborted' });
      const { signal } = options;
      const either = signal === undefined ? fence.closed : AbortSignal.any([signal, fence.closed]);
      return transport.request(method, path, { ...options, signal: either });
    },
    watch: (...args) => transport.watch(...args),
    close: () => transport.close(),
  };
}
