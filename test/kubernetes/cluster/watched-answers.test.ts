import { expect, test } from 'vitest';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import { WatchedAnswers } from '../../../src/kubernetes/cluster/watched-answers.ts';

/** Creates a transport whose next result the test sets. */
function watched() {
  let nowMs = 1_000;
  let changes = 0;
  const next: { error?: ApiError } = {};
  const answers = new WatchedAnswers(
    () => nowMs,
    () => (changes += 1),
  );
  const inner: Transport = {
    async request() {
      if (next.error !== undefined) throw next.error;
      return { status: 200, headers: {}, json: {} };
    },
    async *watch() {
      if (next.error !== undefined) throw next.error;
      yield {};
    },
    close: async () => undefined,
  };
  const through = answers.through(inner);
  const get = async (failure?: ApiError): Promise<void> => {
    nowMs += 1_000;
    if (failure === undefined) delete next.error;
    else next.error = failure;
    await through.request('GET', '/things').catch(() => undefined);
  };
  return { answers, get, through, next, changed: () => changes };
}

const lost = new ApiError('GET /things: connect ECONNREFUSED', { kind: 'network' });
const refused = new ApiError('GET /things: 403', { kind: 'forbidden', status: 403 });

test('a silence lasts from the last answer to the next one, and start and end are each reported once', async () => {
  const { answers, get, changed } = watched();
  await get();
  await get(lost);
  await get(lost);
  expect(answers.silence).toEqual({ why: lost.message, lastMs: 2_000 });
  expect(changed()).toBe(1);
  await get();
  expect([answers.silence, changed()]).toEqual([undefined, 2]);
});

test('an open watch or a refusal ends a silence, and a required login does not', async () => {
  const { answers, get } = watched();
  for (const [code, ends] of [
    ['200', true],
    ['403', true],
    ['401', false],
    ['503', false],
    ['<error>', false],
  ] as const) {
    await get(lost);
    answers.metrics.requested({ method: 'GET', code, host: 'host' }, 0.1);
    expect([code, answers.silence === undefined]).toEqual([code, ends]);
  }
});

test('a refused list is named until it is accepted', async () => {
  const { answers, get, through, next, changed } = watched();
  await get(refused);
  await get(refused);
  expect([answers.isRefused('/things'), answers.isRefused('/others'), changed()]).toEqual([true, false, 1]);
  delete next.error;
  for await (const _ of through.watch('/things', {}, new AbortController().signal)) break;
  expect([answers.isRefused('/things'), changed()]).toEqual([false, 2]);
});
