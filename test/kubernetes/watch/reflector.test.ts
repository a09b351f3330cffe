import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import { CorruptLineError } from '../../../src/kubernetes/objects/json-lines.ts';
import { Reflector } from '../../../src/kubernetes/watch/reflector.ts';
import { REFLECTOR_TUNING } from '../../../src/kubernetes/watch/reflector-state.ts';
import { Semaphore } from '../../../src/kubernetes/client/semaphore.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import {
  bookmarkLine,
  errorLine,
  eventLine,
  objectNamed,
  ScriptedListWatch,
} from '../../support/servers/scripted-list-watch.ts';

type Script = ConstructorParameters<typeof ScriptedListWatch>[1];

const gone = (): ApiError => new ApiError('too old', { kind: 'gone', status: 410 });
const reset = (): ApiError => new ApiError('reset', { kind: 'network' });

describe('a reflector', () => {
  let clock: VirtualClock;
  let ending: AbortController;
  let told: string[];
  let logger: MemoryLogger;
  let running: Promise<void>;

  beforeEach(() => {
    clock = new VirtualClock();
    ending = new AbortController();
    told = [];
    logger = new MemoryLogger();
    running = Promise.resolve();
  });

  afterEach(async () => {
    ending.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  const run = (script: Script): ScriptedListWatch => {
    const source = new ScriptedListWatch(() => clock.now(), script);
    const reflector = new Reflector({
      kind: 'Deployment',
      namespace: '',
      source,
      sink: {
        prepared: (object) => object,
        replaced: (items, { position }) =>
          told.push(
            `all ${items.map(({ metadata }) => metadata.name).join(',')} after ${position ?? 'nothing'}`,
          ),
        changed: (change, { metadata }) => told.push(`${change} ${metadata.name}`),
        failed: (error) => told.push(`failed ${error.kind}`),
      },
      clock,
      logger,
      tuning: REFLECTOR_TUNING,
    });
    running = reflector.run(ending.signal);
    return source;
  };

  it('lists once and then watches from the version of the list', async () => {
    const source = run({
      pages: [{ items: [objectNamed('a', '5')], resourceVersion: '7' }],
      watches: [
        [eventLine('ADDED', objectNamed('b', '8')), eventLine('DELETED', objectNamed('a', '9')), 'silence'],
      ],
    });
    await clock.settle();
    expect(source.story).toEqual(['list', 'watch 7']);
    expect(told).toEqual(['all a after nothing', 'ADDED b', 'DELETED a']);
  });

  it('reads all pages before it reports any of them', async () => {
    const source = run({
      pages: [
        { items: [objectNamed('a', '1')], resourceVersion: '7', continueToken: 'x' },
        { items: [objectNamed('b', '2')], resourceVersion: '7', continueToken: 'y' },
        { items: [objectNamed('c', '3')], resourceVersion: '7' },
      ],
    });
    await clock.settle();
    expect(source.story).toEqual(['list', 'list x', 'list y', 'watch 7']);
    expect(told).toEqual(['all a,b,c after nothing']);
    expect(source.asked[0]).toMatchObject({ limit: 500 });
  });

  it('starts a list over when its page token has expired, and reports nothing of the first half', async () => {
    const source = run({
      pages: [
        { items: [objectNamed('a', '1')], resourceVersion: '7', continueToken: 'x' },
        gone(),
        { items: [objectNamed('b', '2')], resourceVersion: '9' },
      ],
    });
    await clock.advance(1000);
    expect(source.story).toEqual(['list', 'list x', 'list', 'watch 9']);
    expect(told).toEqual(['failed gone', 'all b after nothing']);
  });

  it('continues from the last bookmark when a connection is cut', async () => {
    const source = run({
      watches: [[eventLine('ADDED', objectNamed('a', '5')), bookmarkLine('60'), reset()]],
    });
    await clock.advance(1000);
    expect(source.story).toEqual(['list', 'watch 1', 'watch 60']);
  });

  it.each([
    ['as a refusal', [gone()]],
    ['in the stream', [errorLine(410, 'Expired')]],
  ])('lists again when its version is too old, reported %s', async (_how, watch) => {
    const source = run({
      pages: [
        { items: [objectNamed('a', '5')], resourceVersion: '7' },
        { items: [objectNamed('a', '5'), objectNamed('b', '90')], resourceVersion: '99' },
      ],
      watches: [watch],
    });
    await clock.advance(1000);
    expect(source.story).toEqual(['list', 'watch 7', 'list', 'watch 99']);
    expect(told.at(-1)).toBe('all a,b after 7');
  });

  it('ends the stream at an error that is not 410, and reads on from the last version', async () => {
    const lost = eventLine('ADDED', objectNamed('after-the-error', '8'));
    const source = run({
      watches: [[eventLine('ADDED', objectNamed('a', '6')), errorLine(500, 'InternalError'), lost]],
    });
    await clock.advance(1000);
    expect(source.story).toEqual(['list', 'watch 1', 'watch 6']);
    expect(told).toEqual(['all  after nothing', 'ADDED a', 'failed server']);
  });

  it.each([
    ['a line that does not parse', new CorruptLineError('is not JSON')],
    ['an event of an unknown type', { type: 'RENAMED', object: objectNamed('a', '6') }],
    ['an event without a version', { type: 'ADDED', object: { metadata: { name: 'a' } } }],
    ['an event without an object', { type: 'ADDED' }],
  ])('lists again after %s, which may have been a change', async (_name, step) => {
    const source = run({ watches: [[eventLine('ADDED', objectNamed('b', '5')), step]] });
    await clock.advance(1000);
    expect(source.story).toEqual(['list', 'watch 1', 'list', 'watch 1']);
  });

  it('gives up a watch that is silent for longer than the bookmark interval', async () => {
    const source = run({ watches: [[eventLine('ADDED', objectNamed('b', '5')), 'silence']] });
    await clock.advance(74_000);
    expect(source.story).toEqual(['list', 'watch 1']);
    await clock.advance(2000);
    expect(source.story).toEqual(['list', 'watch 1', 'watch 5']);
    expect(source.openWatches).toBe(1);
    expect(told).toEqual(['all  after nothing', 'ADDED b']);
  });

  it('gives a new watch two minutes for its first word, which a quiet kind needs', async () => {
    const source = run({ watches: [['silence'], ['silence'], ['silence']] });
    await clock.advance(149_000);
    expect(source.story).toEqual(['list', 'watch 1']);
    await clock.advance(2000);
    expect(source.story).toEqual(['list', 'watch 1', 'watch 1']);
  });

  it('lists again when three watches in a row said nothing: the version may be of another history', async () => {
    const source = run({
      pages: [
        { items: [objectNamed('a', '900')], resourceVersion: '1000' },
        { items: [objectNamed('b', '500')], resourceVersion: '600' },
      ],
    });
    await clock.advance(460_000);
    expect(source.story).toEqual(['list', 'watch 1000', 'watch 1000', 'watch 1000', 'list', 'watch 600']);
  });

  it('asks the server to end each watch after its own random time of 5 to 10 minutes', async () => {
    const source = run({
      watches: [
        [bookmarkLine('2'), 'end'],
        [bookmarkLine('3'), 'end'],
      ],
    });
    await clock.advance(5000);
    const seconds = source.asked.flatMap((request) =>
      request.kind === 'watch' ? [request.timeoutSeconds] : [],
    );
    expect(seconds.length).toBeGreaterThan(2);
    expect(new Set(seconds).size).toBeGreaterThan(1);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
  });

  it('does not flood a server that ends every watch at once', async () => {
    const watches = Array.from({ length: 100 }, () => [bookmarkLine('2'), 'end' as const]);
    const source = run({ watches });
    await clock.advance(60_000);
    expect(source.asked.length).toBeGreaterThan(4);
    expect(source.asked.length).toBeLessThan(20);
  });

  it('waits as long as a throttling server asks for, and keeps its version', async () => {
    const throttled = new ApiError('slow down', { kind: 'throttled', status: 429, retryAfterMs: 20_000 });
    const source = run({ watches: [[throttled]] });
    await clock.advance(19_900);
    expect(source.story).toEqual(['list', 'watch 1']);
    await clock.advance(1000);
    expect(source.story).toEqual(['list', 'watch 1', 'watch 1']);
  });

  it('continues after errors that nobody foresaw, such as a credential plug-in that throws', async () => {
    const source = run({ pages: [new Error('spawn ENOENT')], watches: [[new TypeError('odd')]] });
    await clock.advance(3000);
    expect(source.story).toEqual(['list', 'list', 'watch 1', 'watch 1']);
    expect(told).toEqual(['failed network', 'all  after nothing', 'failed network']);
  });

  it('stops during a list without opening a watch', async () => {
    const source = run({ streams: [[eventLine('ADDED', objectNamed('a', '1')), 'silence']] });
    await clock.settle();
    ending.abort();
    await running;
    await clock.settle();
    expect(source.story).toEqual(['stream']);
    expect(told).toEqual([]);
  });

  it('stops during a watch and during a pause, and leaves nothing open', async () => {
    const source = run({});
    await clock.settle();
    expect(source.openWatches).toBe(1);
    ending.abort();
    await running;
    expect(source.openWatches).toBe(0);

    ending = new AbortController();
    run({ pages: [new Error('down'), new Error('down'), new Error('down')] });
    await clock.advance(900);
    ending.abort();
    await running;
  });

  it('counts as many requests as stated for a server that ends every watch at once', async () => {
    const source = run({ watches: Array.from({ length: 200 }, () => [bookmarkLine('2'), 'end' as const]) });
    await clock.advance(600_000);
    const begun = source.asked.map(({ atMs }) => atMs);
    const inWindow = begun.map((from) => begun.filter((at) => at >= from && at < from + 30_000).length);
    expect(Math.max(...inWindow)).toBeLessThanOrEqual(10);
    expect(begun.length).toBeLessThan(45);
    expect(source.story.filter((request) => request === 'list')).toHaveLength(1);
  });

  it('reports a lasting failure once, and again after ten minutes', async () => {
    const down = (): ApiError => new ApiError('connection refused', { kind: 'network' });
    run({ pages: Array.from({ length: 200 }, down) });
    await clock.advance(590_000);
    expect(logger.messages('warn')).toEqual(['list failed']);
    await clock.advance(60_000);
    expect(logger.messages('warn')).toEqual(['list failed', 'list failed']);
  });

  it('reports a failure again after a success in between', async () => {
    const down = (): ApiError => new ApiError('connection refused', { kind: 'network' });
    const page = { items: [], resourceVersion: '7' };
    run({ pages: [down(), down(), page, down(), page], watches: [[gone()]] });
    await clock.advance(60_000);
    expect(logger.messages('warn')).toEqual(['list failed', 'watch failed', 'list failed']);
  });
});

describe('a reflector that is stopped', () => {
  /** Every kind of next step: pages, watches, pauses, silence. */
  const script = (): Script => ({
    pages: [
      new Error('down'),
      { items: [objectNamed('a', '1')], resourceVersion: '7', continueToken: 'x' },
      { items: [objectNamed('b', '2')], resourceVersion: '7' },
    ],
    watches: [[eventLine('ADDED', objectNamed('c', '8')), reset()], [errorLine(410, 'Expired')], ['silence']],
  });

  /** A clock whose pauses take no time, so that steps are only turns of the promises apart. */
  class ImpatientClock extends VirtualClock {
    override async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
      signal?.throwIfAborted();
    }
  }

  it('at any moment leaves no timer, no watch and no rejection, and reports nothing more', async () => {
    const reached = new Set<string>();
    for (let turns = 0; turns < 150; turns += 1) {
      const clock = new ImpatientClock();
      const ending = new AbortController();
      const source = new ScriptedListWatch(() => clock.now(), script());
      let told = 0;
      const tell = (): void => void (told += 1);
      const sink = { prepared: (item: unknown) => item, replaced: tell, changed: tell, failed: tell };
      const running = new Reflector({
        ...{ kind: 'Deployment', namespace: '', source, sink, clock, logger: new MemoryLogger() },
        ...{ tuning: REFLECTOR_TUNING, lists: new Semaphore(1) },
      }).run(ending.signal);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const before = { told, asked: source.asked.length };
      reached.add(`${before.asked} ${before.told}`);
      ending.abort(new Error('stopping'));
      await running;
      await clock.advance(200_000);
      expect({ told, asked: source.asked.length }).toEqual(before);
      expect([source.openWatches, clock.pendingTimers]).toEqual([0, 0]);
    }
    // Every step from the first page to the last watch.
    expect([...reached]).toEqual(expect.arrayContaining(['1 0', '2 1', '3 1', '4 2', '5 4', '6 5', '7 6']));
  });

  it('before it began makes no request', async () => {
    const clock = new VirtualClock();
    const source = new ScriptedListWatch(() => clock.now(), {});
    const sink = {
      prepared: (object: unknown) => object,
      replaced: () => undefined,
      changed: () => undefined,
      failed: () => undefined,
    };
    const logger = new MemoryLogger();
    await new Reflector({
      kind: 'X',
      namespace: '',
      source,
      sink,
      clock,
      logger,
      tuning: REFLECTOR_TUNING,
    }).run(AbortSignal.abort());
    expect(source.story).toEqual([]);
  });
});
