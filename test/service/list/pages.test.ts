import { describe, expect, it } from 'vitest';
import {
  type FetchPage,
  nextOffset,
  NO_PAGE_KNOWLEDGE,
  type PageKnowledge,
  pass,
  type PassEnd,
} from '../../../src/service/list/pages.ts';
import { TooMuchError } from '../../../src/service/limits/own-errors.ts';
import { PagedList, type PagedListModes } from '../support/paged-list.ts';

interface Read extends PassEnd {
  readonly ids: readonly string[];
}

async function read(
  list: PagedList,
  how: { readonly complete?: boolean; readonly knowledge?: PageKnowledge; readonly pageSize?: number } = {},
): Promise<Read> {
  const pages = pass(list.fetch, { complete: true, pageSize: 100, knowledge: NO_PAGE_KNOWLEDGE, ...how });
  const ids: string[] = [];
  for (;;) {
    const next = await pages.next();
    if (next.done === true) return { ...next.value, ids };
    ids.push(...next.value.items.map(({ id }) => id));
  }
}

const OFFSET_MODES = ['next', 'echo', 'limit-step', 'total', 'missing', 'wraps-to-0'] as const;

describe('a complete pass', () => {
  const cases = OFFSET_MODES.flatMap((offset) => [0, 1, 99, 100, 101, 200, 250].map((n) => ({ offset, n })));

  it.each(cases)('reads all of $n whatever the offset means: $offset', async ({ offset, n }) => {
    const list = new PagedList(n, { offset });
    const end = await read(list);
    expect(end.ids).toEqual(list.ids);
    expect(end).toMatchObject({ complete: true, stuck: false });
    expect(list.calls).toHaveLength(Math.ceil(n / 100) + 1);
    expect(list.calls.map((call) => call.offset)).toEqual(
      list.calls.map((_, n2) => Math.min(n2 * 100, list.ids.length)),
    );
  });

  it('continues after pages that are shorter than requested', async () => {
    const list = new PagedList(50, { largestPage: 20 });
    expect(await read(list)).toMatchObject({ ids: list.ids, complete: true });
    expect(list.calls.map(({ offset }) => offset)).toEqual([0, 20, 40, 50]);
  });

  it('skips no page because of unreadable items', async () => {
    const list = new PagedList(150);
    for (let n = 0; n < 100; n += 1) list.malformed.add(n);
    const end = await read(list);
    expect(end.ids).toEqual(list.ids.slice(100));
    expect(end).toMatchObject({ complete: true, stuck: false });
  });

  it('is given up where the list shows new deployments for ever', async () => {
    const fetch: FetchPage = async (offset) => {
      const items = Array.from({ length: 1000 }, (_, at) => ({ id: `id-${offset + at}`, name: 'agent' }));
      return { items, malformed: [], unknownFields: new Map() };
    };
    const reading = (async () => {
      for await (const _ of pass(fetch, { complete: true, pageSize: 1000, knowledge: NO_PAGE_KNOWLEDGE }));
    })();
    await expect(reading).rejects.toThrow('the list does not end after 200000 deployments');
  });

  it('ends if the list ignores the offset after the last page', async () => {
    const list = new PagedList(200);
    const wrapping = new PagedList(200, { heedsOffset: false });
    const fetch: PagedList['fetch'] = (offset, limit) =>
      offset < 200 ? list.fetch(offset, limit) : wrapping.fetch(offset, limit);
    const pages = pass(fetch, { complete: true, pageSize: 100, knowledge: NO_PAGE_KNOWLEDGE });
    let end = await pages.next();
    while (end.done !== true) end = await pages.next();
    expect(end.value).toMatchObject({ complete: true, stuck: false });
  });
});

describe('an offset that does not advance (H33)', () => {
  it('ends the pass, which then proves nothing', async () => {
    const list = new PagedList(250, { heedsOffset: false });
    const end = await read(list);
    expect(end).toMatchObject({ complete: false, stuck: true });
    expect(end.ids).toHaveLength(100);
    expect(list.calls).toHaveLength(2);
  });

  it('is not suspected if the whole list fits on one page', async () => {
    const list = new PagedList(40, { heedsOffset: false });
    expect(await read(list)).toMatchObject({ complete: true, stuck: false, ids: list.ids });
  });

  it('is detected if the limit is ignored too', async () => {
    const list = new PagedList(40, { heedsOffset: false, heedsLimit: false, largestPage: 20 });
    expect(await read(list)).toMatchObject({ complete: false, stuck: true });
  });

  it('also ends a pass if no item can be read', async () => {
    const list = new PagedList(100, { heedsOffset: false });
    for (let n = 0; n < 100; n += 1) list.malformed.add(n);
    expect(await read(list)).toMatchObject({ complete: false, stuck: true, ids: [] });
    expect(list.calls).toHaveLength(2);
  });
});

describe('a pass that may be incomplete', () => {
  /** Learns from one complete pass, and returns the calls of the next pass. */
  async function second(
    count: number,
    modes: PagedListModes = {},
    then: (list: PagedList) => void = () => {},
  ) {
    const list = new PagedList(count, modes);
    const { knowledge } = await read(list);
    then(list);
    list.calls.length = 0;
    const end = await read(list, { complete: false, knowledge });
    return { list, end, calls: list.calls.length };
  }

  it.each([
    [0, 1],
    [1, 1],
    [40, 1],
    [99, 1],
    [100, 2],
    [101, 2],
    [199, 2],
    [250, 3],
    [1000, 11],
  ])('reads %i deployments with %i calls', async (count, calls) => {
    const seen = await second(count);
    expect(seen.calls).toBe(calls);
    expect(seen.end.ids).toEqual(seen.list.ids);
  });

  it('reads all if pages are shorter than requested', async () => {
    const { list, end, calls } = await second(50, { largestPage: 20 });
    expect(end.ids).toEqual(list.ids);
    expect(calls).toBe(3);
  });

  it('sees new deployments if the last page is full now', async () => {
    const { list, end } = await second(99, {}, (list) => list.ids.push('new-1', 'new-2'));
    expect(end.ids).toEqual(list.ids);
  });

  it('does not count as proof of absence', async () => {
    expect((await second(250)).end.complete).toBe(false);
  });

  it('takes no shortcut after an item was found behind an apparent last page', async () => {
    const list = new PagedList(20, { largestPage: 20 });
    const first = await read(list);
    list.ids.push(...Array.from({ length: 25 }, (_, n) => `new-${n}`));
    const short = await read(list, { complete: false, knowledge: first.knowledge });
    expect(short.ids, 'the price of the shortcut').toHaveLength(20);
    const complete = await read(list, { knowledge: short.knowledge });
    expect(complete).toMatchObject({ ids: list.ids, knowledge: { shortcutBroken: true } });
    const after = await read(list, { complete: false, knowledge: complete.knowledge });
    expect(after).toMatchObject({ ids: list.ids, complete: true });
  });
});

describe('the next offset (N21)', () => {
  it.each<[sent: number, count: number, returned: number | undefined, next: number]>([
    [0, 100, 100, 100],
    [100, 100, 100, 200],
    [0, 100, 250, 100],
    [200, 50, 300, 250],
    [200, 50, 0, 250],
    [100, 100, undefined, 200],
    [0, 100, 60, 60],
  ])('after %i with %i items and an answered offset of %s is %i', (sent, count, returned, next) => {
    expect(nextOffset(sent, count, returned)).toBe(next);
  });
});

describe('pages that are too large', () => {
  /** Creates a list that refuses pages of more than `mostItems` items. */
  function heavyList(count: number, mostItems: number): { list: PagedList; fetch: FetchPage } {
    const list = new PagedList(count);
    const fetch: FetchPage = async (offset, limit) => {
      const page = await list.fetch(offset, limit);
      if (page.items.length > mostItems) throw new TooMuchError('the answer is larger than 8 MiB');
      return page;
    };
    return { list, fetch };
  }

  const ids = async (fetch: FetchPage, complete: boolean, knowledge: PageKnowledge) => {
    const pages = pass(fetch, { complete, pageSize: 100, knowledge });
    const seen: string[] = [];
    for (;;) {
      const next = await pages.next();
      if (next.done === true) return { ...next.value, seen };
      seen.push(...next.value.items.map(({ id }) => id));
    }
  };

  it('are asked for with half as many items, and so are later ones until a complete pass', async () => {
    const { list, fetch } = heavyList(120, 30);
    const first = await ids(fetch, true, NO_PAGE_KNOWLEDGE);
    expect(first.seen).toEqual(list.ids);
    expect(first.complete).toBe(true);
    expect(first.knowledge.mostItems).toBe(25);
    expect(list.calls.splice(0).map(({ limit }) => limit)).toEqual([100, 50, 25, 25, 25, 25, 25, 25]);
    const second = await ids(fetch, false, first.knowledge);
    expect(second.seen).toEqual(list.ids);
    expect(list.calls.splice(0).map(({ limit }) => limit)).toEqual([25, 25, 25, 25, 25]);
    const third = await ids(heavyList(120, 100).fetch, true, second.knowledge);
    expect(third.knowledge.mostItems).toBeUndefined();
  });

  it('are an error if a single item is too large', async () => {
    const { list, fetch } = heavyList(3, 0);
    await expect(ids(fetch, true, NO_PAGE_KNOWLEDGE)).rejects.toThrow('larger than 8 MiB');
    expect(list.calls.map(({ limit }) => limit)).toEqual([100, 50, 25, 13, 7, 4, 2, 1]);
  });
});

it('a pass remembers items without an id by a digest, however long they are', async () => {
  const malformed = [{ key: `{"a":"${'x'.repeat(100_000)}"}`, problem: 'id: is missing' }];
  const page = { items: [], malformed, unknownFields: new Map<string, number>() };
  const pages = pass(async () => page, { complete: true, pageSize: 100, knowledge: NO_PAGE_KNOWLEDGE });
  expect((await pages.next()).value).toMatchObject({ malformed });
  expect(await pages.next(), 'the same item is known again').toMatchObject({ done: true });
});
