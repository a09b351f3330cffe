import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { Exchange, ServiceAnswer, ServiceRequest } from '../../../src/service/http/exchange.ts';
import { requestHeaders, requestURL } from '../../../src/service/http/http-exchange.ts';
import { networkError } from '../../../src/service/http/network-error.ts';
import { inProcessFetch } from './in-process.ts';
import type { SimulatedService } from '../../../src/simulator/server/simulated-service.ts';

/** Rate limits that never take effect, for stories about something else. */
export const NO_RATE_LIMIT: ConnectionSettings['rateLimit'] = {
  requestsPerSecond: 1_000_000,
  burst: 1_000_000,
  concurrency: 4,
};

/** Returns an exchange with a simulated service without a network. Its deadline runs on `clock`. */
export function inProcessExchange(
  service: SimulatedService,
  settings: ConnectionSettings,
  clock: Clock,
): Exchange {
  const fetch = inProcessFetch(service, settings.baseURL);
  let sent = 0;
  return {
    async send(asked: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
      sent += 1;
      const deadline = new AbortController();
      const cancel = clock.after(settings.requestTimeoutMs, () => deadline.abort());
      const anyEnd = AbortSignal.any([signal, deadline.signal]);
      try {
        const answer = await fetch(requestURL(settings, asked).href, {
          method: asked.method,
          headers: requestHeaders(settings, asked, {
            userAgent: 'dms-operator/test',
            requestID: `request-${sent}`,
          }),
          ...(asked.body === undefined ? {} : { body: asked.body }),
          signal: anyEnd,
        });
        return {
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          text: await answer.text(),
        };
      } catch (error) {
        throw networkError(error, { timedOut: deadline.signal.aborted, aborted: signal.aborted });
      } finally {
        cancel();
      }
    },
    close: async () => undefined,
  };
}
