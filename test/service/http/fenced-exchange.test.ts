import { expect, test } from 'vitest';
import type { Exchange, ServiceRequest } from '../../../src/service/http/exchange.ts';
import { fencedExchange } from '../../../src/service/http/fenced-exchange.ts';
import { aSeat } from '../support/seat.ts';
import { TestFence } from '../../support/doubles/test-fence.ts';

const LIST: ServiceRequest = { operation: 'list', method: 'GET', path: '/v2/deployments' };
const GOING_ON = new AbortController().signal;
const OK = { status: 200, headers: {}, text: '{}' };

/** An exchange whose requests hang until the test answers or aborts them. */
class Hanging implements Exchange {
  readonly signals: AbortSignal[] = [];
  readonly #answers: ((answer: typeof OK) => void)[] = [];

  send(_request: ServiceRequest, signal: AbortSignal): Promise<typeof OK> {
    this.signals.push(signal);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      this.#answers.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }

  answer(): void {
    for (const answer of this.#answers) answer(OK);
  }

  async close(): Promise<void> {}
}

test('nothing leaves while the fence is closed, be it a read or a write (H60)', async () => {
  const [exchange, fence] = [new Hanging(), new TestFence()];
  fence.open = false;
  for (const method of ['GET', 'PATCH'] as const) {
    const sending = fencedExchange(exchange, fence).send({ ...LIST, method }, GOING_ON, aSeat());
    await expect(sending).rejects.toMatchObject({ reason: 'Unreachable', sent: 'no' });
  }
  expect(exchange.signals).toEqual([]);
});

test('a running request is aborted when the fence closes (H60)', async () => {
  const [exchange, fence] = [new Hanging(), new TestFence()];
  const sending = fencedExchange(exchange, fence).send(LIST, GOING_ON, aSeat());
  fence.close();
  await expect(sending).rejects.toThrow('closed');
  expect(exchange.signals[0]?.aborted).toBe(true);
});

test('the caller may still give up, and an answer passes unchanged', async () => {
  const [exchange, fence] = [new Hanging(), new TestFence()];
  const fenced = fencedExchange(exchange, fence);
  const abort = new AbortController();
  const given = fenced.send(LIST, abort.signal, aSeat());
  abort.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  await expect(fenced.send(LIST, AbortSignal.abort(new Error('before')), aSeat())).rejects.toThrow();
  const answered = fenced.send(LIST, GOING_ON, aSeat());
  exchange.answer();
  expect(await answered).toBe(OK);
});
