import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { untilAborted } from '../../base/abort.ts';
import type { ListFilter } from '../list/deployment-list.ts';
import { observedDeployment } from '../list/mapping.ts';
import { NO_PAGE_KNOWLEDGE, pass } from '../list/pages.ts';
import type { ServiceAtAddress } from '../client/service-at-address.ts';

/** Deployments as the list shows them. */
export interface ListedDeployments {
  readonly deployments: readonly ObservedDeployment[];
  /** The problems of the items that could not be read. */
  readonly problems: readonly string[];
}

/**
 * The whole list from the sweep that everybody shares; with a filter from pages of its own. Whether the service heeds a
 * filter is not known here. Throws a ConnectionError.
 */
export async function listDeployments(
  { poller, list }: Pick<ServiceAtAddress, 'poller' | 'list'>,
  about: {
    readonly filter: ListFilter;
    readonly settings: ConnectionSettings;
    readonly nowMs: number;
  },
  signal: AbortSignal,
): Promise<ListedDeployments> {
  const { filter, settings, nowMs } = about;
  if (Object.keys(filter).length === 0) {
    const notOlderThanMs = nowMs - settings.poll.intervalMs;
    const need = { complete: true, notOlderThanMs, priority: 'user' } as const;
    const { byID, problems } = await untilAborted(poller.ensure(need), signal);
    return { deployments: [...byID.values()], problems };
  }
  const { pageSize } = settings.list;
  const fetchPage = (offset: number, limit: number) => list.page(offset, limit, 'user', signal, filter);
  const deployments = new Map<string, ObservedDeployment>();
  const problems: string[] = [];
  for await (const page of pass(fetchPage, { complete: true, pageSize, knowledge: NO_PAGE_KNOWLEDGE })) {
    for (const { problem } of page.malformed) problems.push(problem);
    for (const item of page.items) deployments.set(item.id.toLowerCase(), observedDeployment(item));
  }
  return { deployments: [...deployments.values()], problems };
}
