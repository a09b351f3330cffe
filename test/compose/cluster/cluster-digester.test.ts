import { describe, expect, test } from 'vitest';
import { ClusterDigester } from '../../../src/compose/cluster/cluster-digester.ts';
import { ApiError, type ApiErrorKind } from '../../../src/kubernetes/client/api-error.ts';
import type { ApiResponse, Transport } from '../../../src/kubernetes/client/exchange.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

const STORED = { data: { key: Buffer.alloc(32, 7).toString('base64') } };

/** Creates an API server that fails in these ways in turn, before it returns the key. */
function failing(...kinds: readonly ApiErrorKind[]): { readonly transport: Transport; asked(): number } {
  const left = [...kinds];
  let asked = 0;
  const request = async (): Promise<ApiResponse> => {
    asked += 1;
    const kind = left.shift();
    if (kind !== undefined) throw new ApiError('GET the key: failed', { kind });
    return { status: 200, headers: {}, json: STORED };
  };
  const watch = (): never => {
    throw new Error('nothing is watched here');
  };
  return { transport: { request, watch, close: async () => undefined }, asked: () => asked };
}

function digesterOf(transport: Transport): {
  clock: VirtualClock;
  logger: MemoryLogger;
  digester: ClusterDigester;
} {
  const [clock, logger] = [new VirtualClock(), new MemoryLogger()];
  const digester = new ClusterDigester({ transport, operatorNamespace: 'home' }, { clock, logger });
  return { clock, logger, digester };
}

describe('the digest key at the start of a process', () => {
  test('is requested again after temporary errors, after growing pauses', async () => {
    const server = failing('network', 'server', 'unauthorized');
    const { clock, digester, logger } = digesterOf(server.transport);
    const loading = digester.load(new AbortController().signal);
    await clock.advance(60_000);
    await loading;
    expect(server.asked()).toBe(4);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
    expect(digester.keyID).not.toBe('');
  });

  test('ends the start if a right is missing', async () => {
    const { digester } = digesterOf(failing('forbidden').transport);
    await expect(digester.load(new AbortController().signal)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  test('is no longer requested after the process stops', async () => {
    const server = failing(...Array.from({ length: 100 }, () => 'network' as const));
    const { clock, digester } = digesterOf(server.transport);
    const stopping = new AbortController();
    const loading = digester.load(stopping.signal);
    await clock.advance(1);
    stopping.abort(new Error('stopped'));
    await expect(loading).rejects.toThrow('stopped');
    await clock.advance(600_000);
    expect(server.asked()).toBe(1);
  });
});
