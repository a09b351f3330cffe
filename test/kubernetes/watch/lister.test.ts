import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import { AnswerTooLongError } from '../../../src/kubernetes/client/exchange.ts';
import { CorruptLineError } from '../../../src/kubernetes/objects/json-lines.ts';
import { Lister } from '../../../src/kubernetes/watch/lister.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import {
  bookmarkLine,
  endOfListLine,
  errorLine,
  eventLine,
  objectNamed,
  ScriptedListWatch,
  type WatchStep,
} from '../../support/servers/scripted-list-watch.ts';

const IDLE_MS = 15_000;
const PAGE = { items: [objectNamed('paged', '3')], resourceVersion: '9' };

function world(streams: readonly (readonly WatchStep[])[] | undefined) {
  const clock = new VirtualClock();
  const script = { pages: [PAGE, PAGE, PAGE], ...(streams === undefined ? {} : { streams }) };
  const source = new ScriptedListWatch(() => clock.now(), script);
  const lister = new Lister({
    source,
    clock,
    prepared: ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`,
    pageLimit: 500,
    idleMs: IDLE_MS,
  });
  const ending = new AbortController();
  return { clock, source, ending, read: () => lister.read(ending.signal) };
}

/** Returns the error with which a promise is rejected. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a lister', () => {
  it('reads a list as a stream up to its final bookmark, and releases the stream', async () => {
    const { clock, source, read } = world([
      [
        eventLine('ADDED', objectNamed('a', '1')),
        bookmarkLine('2'),
        eventLine('ADDED', objectNamed('b', '2')),
        endOfListLine('7'),
        eventLine('ADDED', objectNamed('later', '8')),
        'silence',
      ],
    ]);
    expect(await read()).toEqual({ items: ['a@1', 'b@2'], version: '7' });
    expect(source.story).toEqual(['stream']);
    expect(source.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('includes changes made during the list', async () => {
    const { read } = world([
      [
        eventLine('ADDED', objectNamed('a', '1')),
        eventLine('ADDED', objectNamed('b', '2')),
        eventLine('MODIFIED', objectNamed('a', '5')),
        eventLine('DELETED', objectNamed('b', '6')),
        endOfListLine('6'),
      ],
    ]);
    expect(await read()).toEqual({ items: ['a@5'], version: '6' });
  });

  it('reads pages where the server knows no streams, and asks for none again', async () => {
    const { source, read } = world(undefined);
    const asked: string[] = [];
    const { stream } = source;
    source.stream = (signal) => {
      asked.push('stream');
      return stream.call(source, signal);
    };
    expect(await read()).toEqual({ items: ['paged@3'], version: '9' });
    await read();
    expect(asked).toEqual(['stream']);
    expect(source.story).toEqual(['list', 'list']);
  });

  it.each<{ what: string; steps: readonly WatchStep[]; error: unknown }>([
    {
      what: 'ends before the list does',
      steps: [eventLine('ADDED', objectNamed('a', '1')), 'end'],
      error: { kind: 'network', message: 'list: the stream ended too early' },
    },
    { what: 'is cut', steps: [new Error('other side closed')], error: { kind: 'network' } },
    { what: 'holds an error', steps: [errorLine(410, 'Expired')], error: { kind: 'gone' } },
    {
      what: 'cannot be read',
      steps: [{ type: 'ADDED', object: 'x' }],
      error: expect.any(CorruptLineError) as unknown,
    },
    {
      what: 'is refused for now',
      steps: [new ApiError('later', { kind: 'throttled', status: 429 })],
      error: { kind: 'throttled' },
    },
  ])('gives up a stream that $what, reads pages once, and streams again', async ({ steps, error }) => {
    const { source, read } = world([steps, [endOfListLine('7')]]);
    await expect(read()).rejects.toMatchObject(error as object);
    expect(await read()).toEqual({ items: ['paged@3'], version: '9' });
    expect(await read()).toEqual({ items: [], version: '7' });
    expect(source.story).toEqual(['stream', 'list', 'stream']);
  });

  it('asks for fewer objects at once where a page is too heavy, and for more again afterwards', async () => {
    const { source, read } = world(undefined);
    const asked: number[] = [];
    source.page = async ({ limit, continueToken }) => {
      asked.push(limit);
      if (limit > 20) throw new AnswerTooLongError(1);
      const done = continueToken === 'b';
      return { ...PAGE, ...(done ? {} : { continueToken: continueToken === 'a' ? 'b' : 'a' }) };
    };
    expect((await read()).items).toHaveLength(3);
    expect(asked).toEqual([500, 125, 32, 8, 16, 32, 8]);
  });

  it('fails if a single object is too large', async () => {
    const { source, read } = world(undefined);
    source.page = async () => {
      throw new AnswerTooLongError(1);
    };
    await expect(read()).rejects.toMatchObject({ kind: 'network' });
  });

  it('waits twice as long for the first word as for any other', async () => {
    const { clock, source, read } = world([
      [eventLine('ADDED', objectNamed('a', '1')), 'silence'],
      ['silence'],
    ]);
    const silent = { kind: 'network', message: 'list: the stream fell silent' };
    const afterOneWord = failure(read());
    await clock.advance(IDLE_MS * 2);
    expect(await afterOneWord).toMatchObject(silent);
    await read();
    let ended = false;
    const wordless = failure(read().finally(() => (ended = true)));
    await clock.advance(IDLE_MS * 2 - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(await wordless).toMatchObject(silent);
    expect(source.openWatches).toBe(0);
  });

  it('ends with its signal, without a conclusion about streams', async () => {
    const { clock, ending, source, read } = world([['silence'], [endOfListLine('7')]]);
    const reading = failure(read());
    await clock.advance(1);
    ending.abort(new Error('stopping'));
    expect(await reading).toMatchObject({ message: 'stopping' });
    expect(source.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
