import { ConnectionError } from '../model/failure.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { ConnectionCheck } from '../ports/connections.ts';
import type { ReadAnswer } from './deployment-list.ts';
import { PROVIDERS_REQUEST, providersOf } from './inventory.ts';
import { observedProvider } from './mapping.ts';
import type { Snapshot } from './snapshot.ts';

/** The providers of the organization, and what is worth telling about their list. */
export interface Providers {
  readonly items: readonly ObservedProvider[];
  readonly note?: string;
}

/**
 * Reads the OAuth providers (4.1). They are an inventory: a service that does not list them is usable all the same,
 * unless it refuses the credentials (AuthFailed, which is thrown).
 */
export async function readProviders(readAnswer: ReadAnswer, signal: AbortSignal): Promise<Providers> {
  try {
    const answer = await readAnswer(PROVIDERS_REQUEST, 'resync', signal);
    const items = providersOf(answer).items.map(observedProvider);
    return answer.headers['link'] === undefined
      ? { items }
      : { items, note: 'the list of OAuth providers has further pages (Link), which are not read' };
  } catch (error) {
    if (!(error instanceof ConnectionError) || error.reason === 'AuthFailed') throw error;
    return { items: [], note: `OAuth providers could not be listed (${error.reason})` };
  }
}

/** What a check tells of a connection that works. */
export function checkReport(found: {
  readonly snapshot: Snapshot;
  readonly providers: Providers;
  /** What the list refuses. */
  readonly refused: string | undefined;
  readonly deprecation: string | undefined;
}): Omit<ConnectionCheck, 'learned' | 'endpoint'> {
  const { stuck, problems, byID } = found.snapshot;
  const notes = [
    stuck
      ? 'the offset of the list does not advance: absence cannot be concluded; see spec.list.parameters'
      : undefined,
    found.refused,
    problems.length > 0
      ? `${problems.length} deployments of the list could not be read (${problems[0]})`
      : undefined,
    found.providers.note,
  ].filter((note) => note !== undefined);
  return {
    deployments: { total: byID.size },
    providers: found.providers.items,
    ...(notes.length === 0 ? {} : { message: notes.join('; ') }),
    ...(found.deprecation === undefined ? {} : { deprecation: found.deprecation }),
  };
}
