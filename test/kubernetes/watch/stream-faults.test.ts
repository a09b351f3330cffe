import type { ServerResponse } from 'node:http';
import { setTimeout as realTime } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Credentials } from '../../../src/kubernetes/client/load-cluster-config.ts';
import { Informer } from '../../../src/kubernetes/watch/informer.ts';
import { DEPLOYMENTS, type KubernetesObject } from '../../../src/kubernetes/objects/resource-type.ts';
import { createTransport } from '../../../src/kubernetes/client/create-transport.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { CountingMetrics } from '../../support/doubles/counting-metrics.ts';
import { takeMissed } from '../../support/watches/missed-events.ts';
import {
  type Reply,
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../../support/servers/scripted-http-server.ts';
import {
  bookmarkLine,
  errorLine,
  eventLine,
  objectNamed,
} from '../../support/servers/scripted-list-watch.ts';

/** One kind of resource over HTTP: the content of a list, and the result of each watch in turn. */
interface Script {
  /** The current list, which a test may change. */
  readonly list: { items: readonly KubernetesObject[]; version: string };
  readonly lists?: readonly (Reply | undefined)[];
  /** The answer to each watch in turn; later watches are open and silent. */
  readonly watches: readonly Reply[];
  readonly credentials?: (refused?: Credentials) => Promise<Credentials>;
  readonly idleMs?: number;
  /** Returns the keys of an object in the index `name`. */
  readonly index?: (object: KubernetesObject) => readonly string[];
}

interface World {
  readonly server: ScriptedHttpServer;
  readonly informer: Informer<KubernetesObject, 'name'>;
  readonly counted: CountingMetrics;
  readonly logger: MemoryLogger;
  /** The requests so far: `list`, or the version from which a watch began. */
  story(): readonly string[];
  names(): readonly string[];
}

/** True for a list as a stream, which this server refuses like older servers. */
const isStream = (url: string): boolean => url.includes('sendInitialEvents');
const asked = ({ seen }: ScriptedHttpServer): readonly string[] =>
  seen.map(({ url }) => url).filter((url) => !isStream(url));

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const silent = (response: ServerResponse): void => response.writeHead(200).flushHeaders();
const says =
  (...lines: readonly unknown[]) =>
  (response: ServerResponse): void =>
    void response.write(lines.map(line).join(''));

async function start(script: Script): Promise<World> {
  let [lists, watches] = [0, 0];
  const server = await startScriptedHttpServer(({ url }) => {
    if (isStream(url)) return { status: 422, json: { kind: 'Status', reason: 'Invalid' } };
    if (url.includes('watch=true')) return script.watches[watches++] ?? silent;
    const { items, version } = script.list;
    return (
      script.lists?.[lists++] ?? { status: 200, json: { items, metadata: { resourceVersion: version } } }
    );
  });
  const counted = new CountingMetrics();
  const logger = new MemoryLogger();
  const transport = createTransport(
    {
      server: server.url,
      podNamespace: undefined,
      proxyURL: undefined,
      credentials: script.credentials ?? (async () => ({ headers: {}, tls: {} })),
    },
    { clock: systemClock, userAgent: 'test', metrics: counted },
  );
  const informer = new Informer<KubernetesObject, 'name'>(
    {
      type: DEPLOYMENTS,
      namespaces: [''],
      decode: (object) => object,
      indexers: { name: script.index ?? (() => []) },
      tuning: { backoffBaseMs: 5, backoffCapMs: 40, stableMs: 150, idleMs: script.idleMs ?? 5000 },
    },
    { transport, clock: systemClock, logger, metrics: counted },
  );
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await informer.ended();
    await transport.close();
    await server.stop();
  });
  await informer.start(ending.signal);
  return {
    server,
    informer,
    counted,
    logger,
    story: () => asked(server).map((url) => /resourceVersion=(\d+)/.exec(url)?.[1] ?? 'list'),
    names: () => informer.list().map(({ metadata }) => metadata.name),
  };
}

const list = (version: string, ...names: readonly string[]): Script['list'] => ({
  items: names.map((name) => objectNamed(name, version)),
  version,
});

describe('a watch over real sockets', () => {
  it('asks for bookmarks, an end after 5 to 10 minutes and the version of the list', async () => {
    const { server } = await start({ list: list('7', 'a'), watches: [] });
    await expect.poll(() => asked(server)).toHaveLength(2);
    const [listed, watch] = asked(server).map((url) => new URL(url, server.url));
    expect(listed?.pathname).toBe('/apis/dms-operator.dev/v1alpha1/deployments');
    expect(Object.fromEntries(listed?.searchParams ?? [])).toEqual({ limit: '500' });
    expect(Object.fromEntries(watch?.searchParams ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: expect.stringMatching(/^[345]\d\d$/),
    });
  });

  it('that is cut in the middle of a line continues from the last whole event, without a list', async () => {
    const cut = (response: ServerResponse): void => {
      const whole = line(eventLine('ADDED', objectNamed('b', '8')));
      response.write(`${whole}{"type":"ADDED","obj`, () => response.destroy());
    };
    const { story, names } = await start({
      list: list('7', 'a'),
      watches: [cut, says(eventLine('ADDED', objectNamed('c', '9')))],
    });
    await expect.poll(names).toEqual(['a', 'b', 'c']);
    expect(story()).toEqual(['list', '7', '8']);
  });

  it('that reports a corrupt line is followed by a list, and loses nothing', async () => {
    const script: Script = {
      list: list('7', 'a'),
      watches: [
        (response) => {
          script.list.items = [objectNamed('a', '7'), objectNamed('b', '8')];
          script.list.version = '9';
          response.write(`{"type":"ADDED","object":{"metadata":{"na\n${line(bookmarkLine('9'))}`);
        },
      ],
    };
    const { story, names, counted } = await start(script);
    await expect.poll(names).toEqual(['a', 'b']);
    await expect.poll(story).toEqual(['list', '7', 'list', '9']);
    expect(counted.lost).toBe(0);
  });

  it('counts an event as lost when a list shows a version the watch had passed', async () => {
    const script: Script = {
      list: list('7', 'a'),
      watches: [
        (response) => {
          script.list.items = [objectNamed('a', '7'), objectNamed('swallowed', '8')];
          script.list.version = '9';
          response.end(line(bookmarkLine('9')) + line(errorLine(410, 'Expired')));
        },
      ],
    };
    const { names, counted, logger } = await start(script);
    await expect.poll(names).toEqual(['a', 'swallowed']);
    expect(counted.lost).toBe(1);
    expect(takeMissed()).toBe(1);
    expect(logger.messages('error')).toContain('watch events were lost');
  });

  it('keeps text with raw line separators whole', async () => {
    const object = objectNamed('b', '8');
    const marked = { ...object, metadata: { ...object.metadata, annotations: { note: 'x\u2028y' } } };
    const { informer } = await start({
      list: list('7'),
      watches: [(response) => void response.write(line({ type: 'ADDED', object: marked }))],
    });
    await expect.poll(() => informer.get('team-a', 'b')?.metadata.annotations).toEqual({ note: 'x\u2028y' });
  });

  it('is given up when it falls silent, and continues where it was', async () => {
    const { story, names, server } = await start({
      list: list('7', 'a'),
      watches: [says(bookmarkLine('30')), says(eventLine('ADDED', objectNamed('b', '31')))],
      idleMs: 300,
    });
    await expect.poll(names).toEqual(['a', 'b']);
    expect(story().slice(0, 3)).toEqual(['list', '7', '30']);
    await expect.poll(() => server.open).toBeLessThanOrEqual(2);
  });

  it('is left alone as long as something comes, however little', async () => {
    const steady = async (response: ServerResponse): Promise<void> => {
      for (let version = 8; version < 20; version += 1) {
        response.write(line(bookmarkLine(String(version))));
        await realTime(75);
      }
      response.write(line(eventLine('ADDED', objectNamed('b', '20'))));
    };
    const { story, names } = await start({
      list: list('7', 'a'),
      watches: [(response) => void steady(response)],
      idleMs: 300,
    });
    await expect.poll(names, { timeout: 5000 }).toEqual(['a', 'b']);
    expect(story()).toEqual(['list', '7']);
  });

  it('reports nothing for objects that did not change while it was away', async () => {
    const { story, informer } = await start({
      list: list('7', 'a', 'b'),
      watches: [says(errorLine(410, 'Expired'))],
    });
    const keys: string[] = [];
    informer.subscribe({ onChange: ({ name }) => keys.push(name) });
    await expect.poll(story).toEqual(['list', '7', 'list', '7']);
    expect(keys).toEqual([]);
  });

  it('reports what went while it was away, once', async () => {
    const script: Script = {
      list: list('7', 'a', 'b'),
      watches: [
        (response) => {
          script.list.items = [objectNamed('b', '7')];
          script.list.version = '9';
          response.end(line(errorLine(410, 'Expired')));
        },
        says(bookmarkLine('10'), errorLine(410, 'Expired')),
      ],
    };
    const { informer, names, story, counted } = await start(script);
    const keys: string[] = [];
    informer.subscribe({ onChange: ({ name }) => keys.push(name) });
    await expect.poll(story).toEqual(['list', '7', 'list', '9', 'list', '9']);
    expect(names()).toEqual(['b']);
    expect(keys).toEqual(['a']);
    expect(counted.lost).toBe(0);
  });

  it('is not ended by a subscriber that throws, or by an index that fails, at a list neither', async () => {
    const script: Script = {
      list: list('7', 'a'),
      watches: [
        (response) => {
          script.list.items = [objectNamed('a', '7'), objectNamed('b', '8'), objectNamed('c', '9')];
          script.list.version = '9';
          response.end(line(errorLine(410, 'Expired')));
        },
        says(eventLine('ADDED', objectNamed('d', '10'))),
      ],
      index: ({ metadata: { name } }) => {
        if (name === 'b') throw new TypeError('a shape that nobody foresaw');
        return [name];
      },
    };
    const { informer, names, story, logger } = await start(script);
    const keys: string[] = [];
    const failing = (): void => {
      throw new Error('a bug');
    };
    informer.subscribe({ onChange: failing });
    informer.subscribe({ onChange: ({ name }) => keys.push(name) });
    informer.subscribe({ concerns: failing as () => boolean, onChange: failing });
    await expect.poll(names).toEqual(['a', 'b', 'c', 'd']);
    expect(keys).toEqual(['b', 'c', 'd']);
    expect(story()).toEqual(['list', '7', 'list', '9']);
    expect(informer.byIndex('name', 'c').map(({ metadata }) => metadata.name)).toEqual(['c']);
    expect(informer.byIndex('name', 'b')).toEqual([]);
    expect(logger.messages('error')).toContain('an object cannot be indexed');
  });

  it('reports a namesake of a deleted object as deleted and created', async () => {
    const script: Script = {
      list: list('7', 'a'),
      watches: [
        (response) => {
          script.list.items = [objectNamed('a', '9', 'another-uid')];
          script.list.version = '9';
          void realTime(20).then(() => response.end(line(errorLine(410, 'Expired'))));
        },
      ],
    };
    const { informer } = await start(script);
    const changes: (readonly [string | undefined, string | undefined])[] = [];
    informer.subscribe({
      concerns: ({ before, after }) => changes.push([before?.metadata.uid, after?.metadata.uid]) > 0,
      onChange: () => undefined,
    });
    await expect
      .poll(() => changes)
      .toEqual([
        ['uid-a', undefined],
        [undefined, 'another-uid'],
      ]);
  });

  it('leaves no connections behind, however often it is cut', async () => {
    const cuts = Array.from(
      { length: 100 },
      (_, turn) => (response: ServerResponse) =>
        void response.write(line(bookmarkLine(String(8 + turn))), () => response.destroy()),
    );
    const { story, server } = await start({ list: list('7'), watches: cuts });
    await expect.poll(() => story().length, { timeout: 20_000 }).toBeGreaterThan(101);
    expect(story().filter((request) => request === 'list')).toHaveLength(1);
    expect(story().at(-1)).toBe('107');
    expect(server.open).toBeLessThanOrEqual(2);
  });
});

describe('a list over real sockets', () => {
  it('that fails is repeated until it works', async () => {
    const broken: Reply = { status: 500, json: { kind: 'Status', reason: 'InternalError', message: 'no' } };
    const reset: Reply = (response) => void response.destroy();
    const { names, logger } = await start({
      list: list('7', 'a'),
      lists: [broken, reset, { status: 504 }, undefined],
      watches: [],
    });
    expect(names()).toEqual(['a']);
    expect(logger.messages('warn')).toEqual(['list failed', 'list failed', 'list failed']);
  });

  it('gets new credentials where the old ones were refused, and waits while there are none', async () => {
    let asked = 0;
    const { names } = await start({
      list: list('7', 'a'),
      lists: [{ status: 401 }],
      watches: [],
      credentials: async () => {
        asked += 1;
        if (asked === 2 || asked === 3) throw new Error('the plug-in failed');
        return { headers: {}, tls: {} };
      },
    });
    expect(names()).toEqual(['a']);
    expect(asked).toBeGreaterThanOrEqual(4);
  });
});
