import { ConnectionError } from '../../model/connection/failure.ts';
import type { Fence } from '../../ports/process/fence.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Exchange } from './exchange.ts';

/**
 * An exchange of a process that may act only while its fence is open. When the fence closes, it aborts requests under
 * way and starts none.
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

/** Makes the error of a process that may not call the service. It is no answer of the service. */
export function fenceError(): ConnectionError {
  return new ConnectionError('this replica is not the leader', { reason: 'Unreachable', sent: 'no' });
}
