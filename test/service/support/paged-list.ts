import type { Page } from '../../../src/service/list/pages.ts';

/**
 * How a list counts its offsets in answers, and which parts of a request it obeys. The specification shows none of that
 * (4.3).
 */
export interface PagedListModes {
  readonly offset?: 'next' | 'echo' | 'limit-step' | 'total' | 'missing' | 'wraps-to-0';
  readonly heedsOffset?: boolean;
  readonly heedsLimit?: boolean;
  /** The page size if the limit is ignored, and otherwise the largest page. */
  readonly largestPage?: number;
}

/** A list of deployments behind pages, which notes every call. */
export class PagedList {
  ids: string[];
  readonly calls: { readonly offset: number; readonly limit: number }[] = [];
  /** Positions of unreadable items. */
  readonly malformed = new Set<number>();
  /** Changed names, by id. */
  readonly renamed = new Map<string, string>();
  readonly #modes: PagedListModes;

  constructor(count: number, modes: PagedListModes = {}) {
    this.ids = Array.from({ length: count }, (_, n) => `id-${n}`);
    this.#modes = modes;
  }

  /** Implements `FetchPage`. */
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
