import { ConnectionError } from '../../model/connection/failure.ts';
import type { Fence } from '../../ports/process/fence.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Exchange } from './exchange.ts';

/**
 * An exchange of a process that may act only while it holds its fence: nothing starts while that is closed, and what is
 * under way is given up when it closes.
 */
export function fencedExchange(exchange: Exchange, fence: Fence): Exchange {
  return {
    async send(request, signal, seat) {
      if (!fence.isOpen()) throw fenceError();
      const either = AbortSignal.any([signal, fence.closed]);
      return untilAborted(exchange.send(request, either, seat), fence.closed);
    },
    close: () => exchange.close(),
  };
}

/** Not an answer of the service: this process may not speak to it. */
export function fenceError(): ConnectionError {
  return new ConnectionError('this replica is not the leader', { reason: 'Unreachable', sent: 'no' });
}
