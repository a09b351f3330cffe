import { describe, expect, it } from 'vitest';
import type {
  ApiResponse,
  Method,
  RequestOptions,
  Transport,
} from '../../../src/kubernetes/client/exchange.ts';
import { fencedTransport } from '../../../src/kubernetes/client/fenced-transport.ts';
import { TestFence } from '../../support/doubles/test-fence.ts';

const OK: ApiResponse = { status: 200, headers: {}, json: {} };

/** A transport whose writes hang until they are aborted. */
class Noted implements Transport {
  readonly asked: string[] = [];

  async request(method: Method, path: string, { signal }: RequestOptions = {}): Promise<ApiResponse> {
    this.asked.push(`${method} ${path}`);
    if (method === 'GET') return OK;
    return await new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }

  watch(path: string): AsyncIterable<never> {
    this.asked.push(`WATCH ${path}`);
    return (async function* () {})();
  }

  async close(): Promise<void> {
    this.asked.push('closed');
  }
}

describe('the transport of a replica', () => {
  it('reads and watches, with or without the lease', async () => {
    const [transport, fence] = [new Noted(), new TestFence()];
    fence.close();
    const fenced = fencedTransport(transport, fence);
    expect(await fenced.request('GET', '/a')).toBe(OK);
    fenced.watch('/b', {}, new AbortController().signal);
    await fenced.close();
    expect(transport.asked).toEqual(['GET /a', 'WATCH /b', 'closed']);
  });

  it.each<Method>(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'sends no %s while the fence is closed (H60)',
    async (method) => {
      const [transport, fence] = [new Noted(), new TestFence()];
      fence.open = false;
      const sending = fencedTransport(transport, fence).request(method, '/a');
      await expect(sending).rejects.toMatchObject({ kind: 'aborted' });
      expect(transport.asked).toEqual([]);
    },
  );

  it('aborts a running write when the fence closes, or its caller aborts it (H60)', async () => {
    const [transport, fence] = [new Noted(), new TestFence()];
    const fenced = fencedTransport(transport, fence);
    const abort = new AbortController();
    const byCaller = fenced.request('PATCH', '/a', { signal: abort.signal });
    const byFence = fenced.request('PATCH', '/b');
    abort.abort(new Error('enough'));
    await expect(byCaller).rejects.toThrow('enough');
    fence.close();
    await expect(byFence).rejects.toThrow('closed');
  });
});
