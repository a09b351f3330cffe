import type { Page } from '../../../src/service/list/pages.ts';

/** How a list counts its offsets in answers, and what of a request it heeds; all of it is not shown (4.3). */
export interface PagedListModes {
  readonly offset?: 'next' | 'echo' | 'limit-step' | 'total' | 'missing' | 'wraps-to-0';
  readonly heedsOffset?: boolean;
  readonly heedsLimit?: boolean;
  /** The page size where the limit is not heeded, and the largest where it is. */
  readonly largestPage?: number;
}

/** A list of deployments behind pages, which notes every call. */
export class PagedList {
  ids: string[];
  readonly calls: { readonly offset: number; readonly limit: number }[] = [];
  /** Positions of items that cannot be read. */
  readonly malformed = new Set<number>();
  /** Names that were given since, by id. */
  readonly renamed = new Map<string, string>();
  readonly #modes: PagedListModes;

  constructor(count: number, modes: PagedListModes = {}) {
    this.ids = Array.from({ length: count }, (_, n) => `id-${n}`);
    this.#modes = modes;
  }

  /** As `FetchPage`. */
  readonly fetch = async (offset: number, limit: number): Promise<Page> => {
    this.calls.push({ offset, limit });
    const { heedsOffset = true, heedsLimit = true, largestPage = 100 } = this.#modes;
    const size = heedsLimit ? Math.min(limit, largestPage) : largestPage;
    const start = heedsOffset ? offset : 0;
    const items: Page['items'][number][] = [];
    const malformed: Page['malformed'][number][] = [];
    for (const [n, id] of this.ids.slice(start, start + size).entries()) {
      if (this.malformed.has(start + n)) malformed.push({ key: id, problem: 'name: is missing' });
      else items.push({ id, name: this.renamed.get(id) ?? `name-of-${id}` });
    }
    const answered = this.#offsetAfter(offset, items.length + malformed.length, limit);
    const page = { items, malformed, unknownFields: new Map<string, number>() };
    return answered === undefined ? page : { ...page, offset: answered };
  };

  #offsetAfter(sent: number, count: number, limit: number): number | undefined {
    const next = sent + count;
    switch (this.#modes.offset ?? 'next') {
      case 'next':
        return next;
      case 'echo':
        return sent;
      case 'limit-step':
        return sent + limit;
      case 'total':
        return this.ids.length;
      case 'missing':
        return undefined;
      case 'wraps-to-0':
        return next >= this.ids.length ? 0 : next;
    }
  }
}
