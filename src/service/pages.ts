import type { Decoded } from '../wire/decode.ts';
import type { WireDeployment } from '../wire/deployment.ts';
import type { SecretValue } from '../model/secret.ts';

/** One page as it was answered: `offset` is the one in the answer (4.3). */
export interface Page extends Decoded<WireDeployment<SecretValue>> {
  readonly offset?: number | null;
}

/** What a connection has shown about the ends of its list. */
export interface PageKnowledge {
  /** The longest page so far. */
  readonly largest: number;
  /** The longest page that a complete pass found nothing behind; 0 where there was none yet. */
  readonly last: number;
  /** Items were found behind a page that looked like the last: only complete passes can be trusted. */
  readonly shortcutBroken: boolean;
}

/** Before anything was shown. */
export const NO_PAGE_KNOWLEDGE: PageKnowledge = { largest: 0, last: 0, shortcutBroken: false };

/** How a pass over the list ended. */
export interface PassEnd {
  /** True when the end of the list was seen, so that absence means something. */
  readonly complete: boolean;
  /** The offset did not advance: a full page came twice. */
  readonly stuck: boolean;
  readonly knowledge: PageKnowledge;
}

/**
 * Reads the list page by page and hands each page on. A complete pass ends at an empty page or one without a new id;
 * another may end at a page that looks like the last, as complete passes have shown it (4.3 does not say).
 */
export async function* pass(
  fetchPage: (offset: number) => Promise<Page>,
  how: { readonly complete: boolean; readonly pageSize: number; readonly knowledge: PageKnowledge },
): AsyncGenerator<Page, PassEnd> {
  const seen = new Set<string>();
  let knowledge = how.knowledge;
  let offset = 0;
  let before = 0;
  for (;;) {
    const page = await fetchPage(offset);
    const count = page.items.length + page.malformed;
    const fresh = page.items.filter(({ id }) => !seen.has(id)).length + page.malformed;
    if (count === 0 || fresh === 0) {
      const stuck = count > 0 && count === before && count >= how.pageSize;
      return {
        complete: !stuck,
        stuck,
        knowledge: stuck ? knowledge : endedBehind(knowledge, before, how.pageSize),
      };
    }
    if (before > 0 && looksLast(knowledge, before, how.pageSize))
      knowledge = { ...knowledge, shortcutBroken: true };
    for (const { id } of page.items) seen.add(id);
    yield page;
    if (!how.complete && looksLast(knowledge, count, how.pageSize))
      return { complete: false, stuck: false, knowledge };
    knowledge = { ...knowledge, largest: Math.max(knowledge.largest, count) };
    offset = nextOffset(offset, count, page.offset);
    before = count;
  }
}

/** The smaller of what was returned and what was read so far, where anything useful was returned. */
export function nextOffset(sent: number, count: number, returned: number | null | undefined): number {
  const read = sent + count;
  return typeof returned === 'number' && returned > sent ? Math.min(returned, read) : read;
}

function looksLast(
  { largest, last, shortcutBroken }: PageKnowledge,
  count: number,
  pageSize: number,
): boolean {
  return !shortcutBroken && count < pageSize && (count < largest || count <= last);
}

function endedBehind(knowledge: PageKnowledge, lastPage: number, pageSize: number): PageKnowledge {
  return lastPage < pageSize ? { ...knowledge, last: Math.max(knowledge.last, lastPage) } : knowledge;
}
