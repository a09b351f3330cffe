import { defined } from '../../base/defined.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import { connectionRedactor } from '../../model/connection/connection-secrets.ts';
import type { Listed, ObservedProvider } from '../../model/external/inventory.ts';
import { redactedTexts } from '../../model/outcome/pass-redaction.ts';
import type { Redact } from '../../model/redaction/redact.ts';
import type { ConnectionCheck } from '../../ports/service/connections.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { inDoubt } from '../limits/own-errors.ts';
import type { ServiceAtAddress } from '../client/service-at-address.ts';
import type { Snapshot } from '../list/snapshot.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { ListFilter } from '../list/deployment-list.ts';
import { observedDeployment } from '../list/observed-deployment.ts';
import { NO_PAGE_KNOWLEDGE, pass } from '../list/pages.ts';

/** The knowledge of a connection before the check. */
export interface BeforeCheck {
  readonly nowMs: number;
  /** True if the connection had no problem until now. */
  readonly ready: boolean;
  /**
   * Only a pass after this one shows that all is well, since this one failed or the settings changed; absent while the
   * newest pass is enough.
   */
  readonly sweepAfter: Pick<Snapshot, 'number'> | undefined;
  readonly settings: ConnectionSettings;
  /** Called if only a new pass shows that all is well: the next check requests it too if this one ends early. */
  readonly oweSweep: () => void;
}

/** The result of a look at the service. */
export interface CheckFindings {
  /** Absent: the service lists, and the rest of the list is still being read. */
  readonly snapshot: Snapshot | undefined;
  readonly providers: Listed<ObservedProvider>;
  /** Describes the parameters that the list refuses. */
  readonly refused: string | undefined;
}

/**
 * Checks as cheaply as possible whether the service answers. Throws a ConnectionError if the connection cannot be used.
 * A service that does not list its providers is still usable, unless it refuses the credential for them.
 */
export async function lookAtService(
  address: Pick<ServiceAtAddress, 'poller' | 'list' | 'idsFilter' | 'inventories' | 'doubts'>,
  before: BeforeCheck,
  signal: AbortSignal,
): Promise<CheckFindings> {
  const { nowMs, sweepAfter, settings } = before;
  const first = await lookAtList(address, before, signal);
  const snapshot = first && (await confirmed(first, address, signal));
  if (snapshot !== undefined) refuseInDoubt(snapshot, address, before);
  const notOlderThanMs = nowMs - (sweepAfter === undefined ? settings.poll.intervalMs : 0);
  const providers = await address.inventories.providers({ notOlderThanMs, priority: 'resync' }, signal);
  if (providers.trouble?.reason === 'AuthFailed') throw providers.trouble;
  return { snapshot, providers, refused: refusedBy(address) };
}

/**
 * Returns a confirmed snapshot. One that puts the connection in doubt needs a second pass that agrees, to the end of
 * the list (H52).
 */
async function confirmed(
  first: Snapshot,
  { poller, doubts }: Pick<ServiceAtAddress, 'poller' | 'doubts'>,
  signal: AbortSignal,
): Promise<Snapshot> {
  if (doubts.about(first) === undefined) return first;
  const need = { complete: true, notOlderThanMs: 0, priority: 'user', after: first } as const;
  return untilAborted(poller.ensure(need), signal);
}

/**
 * Throws if a snapshot puts the connection in doubt. An earlier verdict stays until a list contradicts it, so in that
 * case the snapshot need not reach the end of the list. If the check looks again, the current snapshot is the first of
 * the two.
 */
function refuseInDoubt(
  last: Snapshot,
  { doubts }: Pick<ServiceAtAddress, 'doubts'>,
  { settings }: BeforeCheck,
): void {
  const doubt = doubts.about(last);
  const isTold = doubt !== undefined && (last.provesAbsence || doubts.told !== undefined);
  doubts.tell(isTold ? doubt : undefined);
  if (isTold) throw inDoubt(doubt, settings.poll.intervalMs);
}

/**
 * Reads the list as cheaply as possible. While the connection is well, or in doubt, the current snapshot is enough.
 * If it can still be trusted, the next page of a sweep under way proves that the service answers, or one item of the
 * list; for the first check, the first of many pages does. Otherwise, or if that item is of a tenant that the snapshot does
 * not show, a sweep begins now.
 */
async function lookAtList(
  { poller, list, doubts }: Pick<ServiceAtAddress, 'poller' | 'list' | 'doubts'>,
  { ready, sweepAfter, oweSweep }: BeforeCheck,
  signal: AbortSignal,
): Promise<Snapshot | undefined> {
  const { snapshot } = poller;
  const need = { complete: false, notOlderThanMs: 0, priority: 'user' } as const;
  if (snapshot !== undefined && sweepAfter === undefined) {
    if (ready || doubts.about(snapshot) !== undefined) return snapshot;
    const next = poller.nextPage();
    if (next !== undefined) {
      await untilAborted(next, signal);
      return snapshot;
    }
    const { items } = await untilAborted(
      list.page({ offset: 0, limit: 1, priority: 'user' }, signal),
      signal,
    );
    const { known } = doubts.tenants(snapshot);
    if (items.every(({ tenant_id: id }) => typeof id !== 'string' || known.has(id))) return snapshot;
    // The credential may belong to another tenant by now; a sweep has to tell before anything is created there.
    oweSweep();
    return untilAborted(poller.ensure({ ...need, after: snapshot }), signal);
  }
  const later = { ...need, ...defined({ after: sweepAfter }) };
  const isFirst = sweepAfter === undefined && doubts.told === undefined;
  return untilAborted(isFirst ? poller.firstPage(later) : poller.ensure(later), signal);
}

function refusedBy({ list, idsFilter }: Pick<ServiceAtAddress, 'list' | 'idsFilter'>): string | undefined {
  const notes = [list.note, idsFilter.note].filter((note) => note !== undefined);
  return notes.length === 0 ? undefined : notes.join('; ');
}

/** Makes the report of a check of a connection that works; it contains no credentials. */
export function checkReport(
  found: CheckFindings & { readonly deprecation: string | undefined },
  settings: ConnectionSettings,
): Omit<ConnectionCheck, 'learned' | 'endpoint'> {
  const { snapshot } = found;
  const redact = connectionRedactor(settings);
  const notes = [...snapshotNotes(snapshot, redact), found.refused, providersNote(found.providers)].filter(
    (note) => note !== undefined,
  );
  return {
    ...defined({ deployments: snapshot && { total: snapshot.byID.size } }),
    providers: redactedTexts(found.providers.items, redact),
    ...(notes.length === 0 ? {} : { message: notes.join('; ') }),
    ...defined({ deprecation: found.deprecation }),
  };
}

function snapshotNotes(snapshot: Snapshot | undefined, redact: Redact): readonly string[] {
  const { stuck = false, problems = [] } = snapshot ?? {};
  const [first = ''] = problems;
  return [
    ...(stuck
      ? ['the offset of the list does not advance: absence cannot be concluded; see spec.list.parameters']
      : []),
    ...(problems.length > 0
      ? [`${problems.length} deployments of the list could not be read (${redact(first)})`]
      : []),
  ];
}

function providersNote({ more, trouble }: Listed<ObservedProvider>): string | undefined {
  if (trouble !== undefined) return `OAuth providers could not be listed (${trouble.reason})`;
  return more ? 'the list of OAuth providers has further pages (Link), which are not read' : undefined;
}

/** Deployments as the list shows them. */
export interface ListedDeployments {
  readonly deployments: readonly ObservedDeployment[];
  /** The problems of the items that could not be read. */
  readonly problems: readonly string[];
}

/**
 * Returns the whole list from the sweep that all callers share, or with a filter from its own pages. It does not know
 * whether the service applies a filter. Throws a ConnectionError.
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
  const fetchPage = (offset: number, limit: number) =>
    list.page({ offset, limit, priority: 'user', filter }, signal);
  const deployments = new Map<string, ObservedDeployment>();
  const problems: string[] = [];
  for await (const page of pass(fetchPage, { complete: true, pageSize, knowledge: NO_PAGE_KNOWLEDGE })) {
    for (const { problem } of page.malformed) problems.push(problem);
    for (const item of page.items) deployments.set(item.id.toLowerCase(), observedDeployment(item));
  }
  return { deployments: [...deployments.values()], problems };
}
