import type { ConnectionSettings } from '../model/connection.ts';
import type { Listed } from '../model/inventory.ts';
import { isMassAbsence } from '../model/mass-absence.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { ConnectionCheck } from '../ports/connections.ts';
import { untilAborted } from '../ports/abort.ts';
import { massAbsence } from './own-errors.ts';
import type { ServiceAtAddress } from './service-at-address.ts';
import type { Snapshot } from './snapshot.ts';

/** What is known of a connection before it is looked at. */
export interface BeforeCheck {
  readonly nowMs: number;
  /** All was well until now. */
  readonly ready: boolean;
  /** Only a whole sweep shows that all is well: another failed, or settings changed that it depends on. */
  readonly sweepOwed: boolean;
  readonly settings: ConnectionSettings;
  /** Ids that resources are bound to. */
  readonly boundIDs: () => readonly string[];
}

/** What a look at the service found. */
export interface CheckFindings {
  /** Absent: the service lists, and what else the list holds is still being read. */
  readonly snapshot: Snapshot | undefined;
  readonly providers: Listed<ObservedProvider>;
  /** What the list refuses. */
  readonly refused: string | undefined;
}

/**
 * Looks whether the service answers, as cheaply as that can be known. Throws a ConnectionError where the connection cannot
 * be used. A service that does not list its providers is usable all the same, unless it refuses the credential for them.
 */
export async function lookAtService(
  address: Pick<ServiceAtAddress, 'poller' | 'list' | 'inventories'>,
  before: BeforeCheck,
  signal: AbortSignal,
): Promise<CheckFindings> {
  const { nowMs, sweepOwed, settings, boundIDs } = before;
  const snapshot = await lookAtList(address, before, signal);
  const notOlderThanMs = nowMs - (sweepOwed ? 0 : settings.poll.intervalMs);
  const providers = await address.inventories.providers({ notOlderThanMs, priority: 'resync' }, signal);
  if (providers.trouble?.reason === 'AuthFailed') throw providers.trouble;
  if (snapshot?.provesAbsence === true && isMassAbsence(boundIDs(), snapshot.byID)) throw massAbsence();
  return { snapshot, providers, refused: address.list.note };
}

/**
 * What the list shows. While all is well, the snapshot at hand; where that can be trusted still, one item of the list
 * proves that the service answers, and at the very first look the first of many pages; else a sweep that begins now.
 */
async function lookAtList(
  { poller, list }: Pick<ServiceAtAddress, 'poller' | 'list'>,
  { nowMs, ready, sweepOwed, boundIDs }: BeforeCheck,
  signal: AbortSignal,
): Promise<Snapshot | undefined> {
  const { snapshot } = poller;
  if (snapshot !== undefined && ready && !sweepOwed) return snapshot;
  const isTrusted = snapshot !== undefined && !sweepOwed && !isMassAbsence(boundIDs(), snapshot.byID);
  if (isTrusted) {
    await list.page(0, 1, 'user', signal);
    return snapshot;
  }
  const later = snapshot === undefined ? {} : { after: snapshot };
  const need = { complete: false, notOlderThanMs: nowMs, priority: 'user', ...later } as const;
  const looking = snapshot === undefined && !sweepOwed ? poller.firstPage(need) : poller.ensure(need);
  return untilAborted(looking, signal);
}

/** What a check tells of a connection that works. */
export function checkReport(
  found: CheckFindings & { readonly deprecation: string | undefined },
): Omit<ConnectionCheck, 'learned' | 'endpoint'> {
  const { snapshot } = found;
  const notes = [...snapshotNotes(snapshot), found.refused, providersNote(found.providers)].filter(
    (note) => note !== undefined,
  );
  return {
    ...(snapshot === undefined ? {} : { deployments: { total: snapshot.byID.size } }),
    providers: found.providers.items,
    ...(notes.length === 0 ? {} : { message: notes.join('; ') }),
    ...(found.deprecation === undefined ? {} : { deprecation: found.deprecation }),
  };
}

function snapshotNotes(snapshot: Snapshot | undefined): readonly string[] {
  const { stuck = false, problems = [] } = snapshot ?? {};
  return [
    ...(stuck
      ? ['the offset of the list does not advance: absence cannot be concluded; see spec.list.parameters']
      : []),
    ...(problems.length > 0
      ? [`${problems.length} deployments of the list could not be read (${problems[0]})`]
      : []),
  ];
}

function providersNote({ more, trouble }: Listed<ObservedProvider>): string | undefined {
  if (trouble !== undefined) return `OAuth providers could not be listed (${trouble.reason})`;
  return more ? 'the list of OAuth providers has further pages (Link), which are not read' : undefined;
}
