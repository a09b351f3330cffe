import { createHash } from 'node:crypto';
import { ConnectionError } from '../../model/connection/failure.ts';
import type { Decoded } from '../../wire/decode.ts';
import type { WireDeployment } from '../../wire/deployment.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import { isTooMuchAnswered } from '../limits/own-errors.ts';

/** One page as the service answered it: `offset` is the one in the answer (4.3). */
export interface Page extends Decoded<WireDeployment<SecretValue>> {
  readonly offset?: number | null;
  /** The length of the text. */
  readonly bytes?: number;
  /** A digest of the text; absent if it is not remembered. */
  readonly digest?: string;
  /** The earlier page that this one equals byte for byte, so it was not decoded: `items` is empty then. */
  readonly repeats?: KnownPage;
}

/**
 * The memory of a page that was read. It makes it unnecessary to decode the same page again. A page with an item that
 * cannot be read is not remembered: such an item is known by its text.
 */
export interface KnownPage {
  readonly digest: string;
  /** The ids of its items, as they were shown. */
  readonly ids: readonly string[];
  readonly offset: number | null | undefined;
  /** The bytes that its items occupy in memory. */
  readonly kept: number;
}

/** Reads the page that begins at `offset`, with at most `limit` deployments if the service respects that. */
export type FetchPage = (offset: number, limit: number) => Promise<Page>;

/** The knowledge of a connection about the ends of its list. */
export interface PageKnowledge {
  /** The length of the longest page so far. */
  readonly largest: number;
  /** The length of the longest page behind which a complete pass found nothing; 0 if there was none yet. */
  readonly last: number;
  /** True if items were found behind a page that looked like the last: only complete passes can be trusted then. */
  readonly shortcutBroken: boolean;
  /** The limit for the items of a page, after a page of more items was too large to be read; absent if none was. */
  readonly mostItems?: number;
}

/** The knowledge before the first page. */
export const NO_PAGE_KNOWLEDGE: PageKnowledge = { largest: 0, last: 0, shortcutBroken: false };

/** The end of a read of the list. */
export interface PassEnd {
  /** True if the read reached the end of the list, so that absence means something. */
  readonly complete: boolean;
  /** True if the offset did not advance: the list has a second page that cannot be reached. */
  readonly stuck: boolean;
  readonly knowledge: PageKnowledge;
}

/**
 * Reads the list page by page and yields each page; throws a ConnectionError if the list does not end. A complete pass
 * ends at an empty page or one without a new id. Another pass may end at a page that looks like the last one, in the
 * experience of complete passes (4.3 does not say).
 */
export async function* pass(
  fetchPage: FetchPage,
  how: { readonly complete: boolean; readonly pageSize: number; readonly knowledge: PageKnowledge },
): AsyncGenerator<Page, PassEnd> {
  const { complete } = how;
  const seen = new Set<string>();
  // From time to time, tries whether the service accepts larger pages now.
  const { mostItems = how.pageSize, ...kept } = how.knowledge;
  let knowledge: PageKnowledge = complete ? kept : how.knowledge;
  let pageSize = complete ? how.pageSize : Math.min(how.pageSize, mostItems);
  let offset = 0;
  let before = 0;
  for (let number = 1; ; number += 1) {
    const page = await fetchReadable(fetchPage, offset, pageSize);
    if (page.limit < pageSize) knowledge = { ...knowledge, mostItems: page.limit };
    pageSize = page.limit;
    const keys = keysOf(page);
    const count = keys.length;
    if (keys.every((key) => seen.has(key))) {
      const stuck = number === 2 && count > 0 && (await isStuck(fetchPage, count, pageSize));
      return {
        complete: !stuck,
        stuck,
        knowledge: stuck ? knowledge : endedBehind(knowledge, before, pageSize),
      };
    }
    if (before > 0 && looksLast(knowledge, before, pageSize))
      knowledge = { ...knowledge, shortcutBroken: true };
    for (const key of keys) seen.add(key);
    if (seen.size > MOST_LISTED) throw endless();
    yield page;
    if (!complete && looksLast(knowledge, count, pageSize))
      return { complete: false, stuck: false, knowledge };
    knowledge = { ...knowledge, largest: Math.max(knowledge.largest, count) };
    offset = nextOffset(offset, count, page.offset);
    before = count;
  }
}

/** Reads a page of as many items as can be read at once, at most `most`. */
async function fetchReadable(
  fetchPage: FetchPage,
  offset: number,
  most: number,
): Promise<Page & { readonly limit: number }> {
  for (let limit = most; ; limit = Math.ceil(limit / 2)) {
    try {
      return { ...(await fetchPage(offset, limit)), limit };
    } catch (error) {
      if (limit === 1 || !isTooMuchAnswered(error)) throw error;
    }
  }
}

/** More deployments than any organization has; a list that always shows new ones would fill the memory. */
const MOST_LISTED = 200_000;

function endless(): ConnectionError {
  const message = `the list does not end after ${MOST_LISTED} deployments; is spec.baseURL the address of the service?`;
  return new ConnectionError(message, { reason: 'ProtocolError', sent: 'no' });
}

/**
 * Returns the next offset: the smaller one of the returned offset and the count read so far, if the answer returned a
 * useful offset.
 */
export function nextOffset(sent: number, count: number, returned: number | null | undefined): number {
  const read = sent + count;
  return typeof returned === 'number' && returned > sent ? Math.min(returned, read) : read;
}

/**
 * Returns whether a second page without a new id means that the service ignores the offset (H33). A full page does mean
 * that. A short page is the end of the list, unless the service ignores the limit as well: then the service chooses the
 * length, which proves nothing.
 */
async function isStuck(fetchPage: FetchPage, count: number, pageSize: number): Promise<boolean> {
  if (count >= pageSize) return true;
  if (count === 1) return false;
  const one = await fetchPage(0, 1);
  return keysOf(one).length > 1;
}

/** Returns the keys of the items of a page, including unreadable ones. */
function keysOf({ items, malformed, repeats }: Page): readonly string[] {
  return [...(repeats?.ids ?? items.map(({ id }) => id)), ...malformed.map(({ key }) => shortKey(key))];
}

/**
 * Shortens a key: keys are remembered until the end of the list, and the key of an item without an id is its whole
 * text.
 */
function shortKey(key: string): string {
  return key.length <= LONGEST_KEY ? key : createHash('sha256').update(key).digest('base64');
}

const LONGEST_KEY = 128;

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
