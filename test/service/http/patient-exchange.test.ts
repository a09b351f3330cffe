import { describe, expect, test } from 'vitest';
import type { Exchange, ServiceAnswer, ServiceRequest } from '../../../src/service/http/exchange.ts';
import { patientExchange } from '../../../src/service/http/patient-exchange.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { aSeat } from '../support/seat.ts';

const READ: ServiceRequest = { operation: 'list', method: 'GET', path: '/v2/deployments' };
const WRITE: ServiceRequest = { operation: 'patch', method: 'PATCH', path: '/v2/deployments/d-1' };
const OK: ServiceAnswer = { status: 200, headers: {}, text: '[]' };
const NEVER = new AbortController().signal;

const asking = (
  status: number,
  headers: ServiceAnswer['headers'] = { 'retry-after': '2' },
): ServiceAnswer => ({
  ...{ status, headers, text: '' },
});

/** Creates a service that gives these answers in turn, and then 200. */
function scripted(...answers: readonly ServiceAnswer[]) {
  const clock = new VirtualClock();
  const sentMs: number[] = [];
  const pauses: number[] = [];
  const exchange: Exchange = {
    async send() {
      sentMs.push(clock.now());
      return answers[sentMs.length - 1] ?? OK;
    },
    close: async () => undefined,
  };
  const patient = patientExchange(exchange, { clock, onPause: (ms) => pauses.push(ms) });
  const send = (request: ServiceRequest): Promise<ServiceAnswer> => patient.send(request, NEVER, aSeat());
  const beganMs = clock.now();
  return { clock, pauses, send, sent: () => sentMs.map((ms) => ms - beganMs) };
}

describe('an exchange of a process that looks once', () => {
  test.each([
    ['429', asking(429)],
    ['503 with a time', asking(503)],
  ])('waits after an answer of %s, and repeats the request', async (_, answer) => {
    const { clock, pauses, send, sent } = scripted(answer);
    const answered = send(READ);
    await clock.advance(10_000);
    expect((await answered).status).toBe(200);
    expect([sent(), pauses]).toEqual([[0, 2_000], [2_000]]);
  });

  test.each([
    ['a write that is answered with 429', WRITE, asking(429)],
    ['a read that is answered with 503 and no time', READ, asking(503, {})],
    ['a read that is to wait for ten minutes', READ, asking(429, { 'retry-after': '600' })],
  ])('passes on the answer to %s', async (_, request, answer) => {
    const { pauses, send, sent } = scripted(answer);
    expect(await send(request)).toBe(answer);
    expect([sent(), pauses]).toEqual([[0], []]);
  });

  test('reports one pause for parallel reads, and starts nothing during it', async () => {
    const { clock, pauses, send, sent } = scripted(asking(429), asking(429));
    const answered = [send(READ), send(READ)];
    await clock.advance(1_000);
    answered.push(send(READ));
    await clock.advance(10_000);
    expect((await Promise.all(answered)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([sent(), pauses]).toEqual([[0, 0, 2_000, 2_000, 2_000], [2_000]]);
  });

  test('gives up after ten pauses', async () => {
    const { clock, pauses, send, sent } = scripted(...Array.from({ length: 20 }, () => asking(429)));
    const answered = send(READ);
    await clock.advance(100_000);
    expect((await answered).status).toBe(429);
    expect([sent().length, pauses.length]).toEqual([11, 10]);
  });
});
