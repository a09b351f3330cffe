import type { Fence } from '../ports/fence.ts';
import { linkAbort } from './abort.ts';
import { ApiError } from './errors.ts';
import type { Transport } from './exchange.ts';

/**
 * The transport of a process that may write only while it holds its fence: no write starts while that is closed, and one
 * under way is given up when it closes. Reads and watches go on, since who stands by follows what happens.
 */
export function fencedTransport(transport: Transport, fence: Fence): Transport {
  return {
    async request(method, path, options = {}) {
      if (method === 'GET') return transport.request(method, path, options);
      if (!fence.isOpen())
        throw new ApiError(`${method} ${path}: this replica is not the leader`, { kind: 'aborted' });
      const link = linkAbort(options.signal);
      const onClosed = (): void => link.abort(fence.closed.reason);
      fence.closed.addEventListener('abort', onClosed, { once: true });
      try {
        return await transport.request(method, path, { ...options, signal: link.signal });
      } finally {
        link.unlink();
        fence.closed.removeEventListener('abort', onClosed);
      }
    },
    watch: (...args) => transport.watch(...args),
    close: () => transport.close(),
  };
}
