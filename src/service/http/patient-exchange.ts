import type { Clock } from '../../ports/process/clock.ts';
import type { Exchange, ServiceAnswer } from './exchange.ts';
import { backoffMs, retryAfterMs } from './retry.ts';

/** Number of pauses that one read waits for, as in Kubernetes clients. */
const MOST_PAUSES = 10;

/** The greatest total length of the pauses of one read, in milliseconds. */
const LONGEST_WAIT_MS = 120_000;

/** The parts of a patient exchange. */
export interface PatientOptions {
  readonly clock: Clock;
  /** Called before each pause with its length in milliseconds. */
  readonly onPause: (ms: number) => void;
}

/**
 * Makes an exchange for a process that reads once and has no later pass. If the service asks for fewer requests (429,
 * or 503 with a time), a read waits as long as the service asks and tries again, at most ten times and two minutes. No
 * other request starts meanwhile. The caller gets the last answer unchanged.
 */
export function patientExchange(exchange: Exchange, { clock, onPause }: PatientOptions): Exchange {
  let closedUntilMs = 0;
  const opened = async (signal: AbortSignal): Promise<void> => {
    while (closedUntilMs > clock.now()) await clock.sleep(closedUntilMs - clock.now(), signal);
  };
  // The service asks parallel reads for the same pause at the same time, which counts as one pause.
  const close = (pauseMs: number): void => {
    const isNew = closedUntilMs <= clock.now();
    closedUntilMs = Math.max(closedUntilMs, clock.now() + pauseMs);
    if (isNew) onPause(pauseMs);
  };
  return {
    async send(request, signal, seat) {
      let waitedMs = 0;
      for (let pauses = 0; ; pauses += 1) {
        await opened(signal);
        const answer = await exchange.send(request, signal, seat);
        const pauseMs = request.method === 'GET' ? pauseAskedBy(answer, pauses, clock) : undefined;
        if (pauseMs === undefined || pauses === MOST_PAUSES || waitedMs + pauseMs > LONGEST_WAIT_MS)
          return answer;
        waitedMs += pauseMs;
        close(pauseMs);
      }
    },
    close: () => exchange.close(),
  };
}

/** Returns the pause that the answer to a read asks for; `pauses` is the number of pauses before it. */
function pauseAskedBy({ status, headers }: ServiceAnswer, pauses: number, clock: Clock): number | undefined {
  const statedMs = retryAfterMs(headers, clock.now());
  if (status === 429) return statedMs ?? backoffMs(pauses, clock.random());
  return status === 503 ? statedMs : undefined;
}
