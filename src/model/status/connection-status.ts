import { defined } from '../../base/defined.ts';
import { type ConnectionReason, IN_USE } from '../../api/condition.ts';
import type { ConnectionStatus } from '../../api/connection.ts';
import type { Learned } from '../effects/learned.ts';
import type { ObservedProvider } from '../external/inventory.ts';
import { textForPeople, VALUE_BYTES } from '../../base/text-for-people.ts';
import { settledCondition } from './settled-condition.ts';

/** The most providers that a status shows. */
const PROVIDERS_KEPT = 100;

/** The result of one look at a connection. */
export interface ConnectionFacts {
  readonly generation: number;
  readonly reason: ConnectionReason;
  readonly message: string;
  readonly nowMs: number;
  /** Only for a connection that is being deleted: the number of deployment resources that still need it. */
  readonly neededBy?: number;
  readonly check?: {
    readonly deployments?: { readonly total: number };
    readonly providers: readonly ObservedProvider[];
    readonly learned: Learned;
    /** The address for which the lessons are valid. */
    readonly endpoint: string;
  };
  /** The number of deployment resources that use the connection and are bound. */
  readonly managed?: number;
}

type Beside = 'Reconciling' | 'Stalled' | 'neither';

/** The statuses of the conditions for each reason (docs/conditions.md). */
export const CONNECTION_MEANING: Readonly<
  Record<ConnectionReason, { readonly ready: 'True' | 'False' | 'Unknown'; readonly beside: Beside }>
> = {
  Ok: { ready: 'True', beside: 'neither' },
  RateLimited: { ready: 'False', beside: 'Reconciling' },
  Timeout: { ready: 'False', beside: 'Reconciling' },
  SecretMissing: { ready: 'False', beside: 'Reconciling' },
  Unreachable: { ready: 'False', beside: 'Reconciling' },
  AuthFailed: { ready: 'False', beside: 'Stalled' },
  Forbidden: { ready: 'False', beside: 'Stalled' },
  NotJSON: { ready: 'False', beside: 'Stalled' },
  Redirected: { ready: 'False', beside: 'Stalled' },
  ProtocolError: { ready: 'False', beside: 'Stalled' },
  HostNotAllowed: { ready: 'False', beside: 'Stalled' },
  AddressRefused: { ready: 'False', beside: 'Stalled' },
  ProxyNeedsAllowedHosts: { ready: 'False', beside: 'Stalled' },
  ProxyAuthFailed: { ready: 'False', beside: 'Stalled' },
  TLSFailed: { ready: 'False', beside: 'Stalled' },
  MassAbsence: { ready: 'False', beside: 'Stalled' },
  TenantChanged: { ready: 'False', beside: 'Stalled' },
  Suspended: { ready: 'False', beside: 'neither' },
  Pending: { ready: 'Unknown', beside: 'Reconciling' },
};

/** Returns the lessons of an earlier process about the service, unless the address has changed. */
export function rememberedLessons(status: ConnectionStatus | undefined, endpoint: string): Learned {
  return status?.endpoint === endpoint ? (status.learned ?? {}) : {};
}

/** Returns the reason of `Ready` in a status. Another release may have written a reason that is unknown here. */
export function readyReason(status: ConnectionStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}

/** Returns the status of a connection after a check. Counts and inventory stay if the check could not see any. */
export function connectionStatus(previous: ConnectionStatus, facts: ConnectionFacts): ConnectionStatus {
  const { ready, beside } = CONNECTION_MEANING[facts.reason];
  const { reason, message } = facts;
  const drafts = [
    { type: 'Ready', status: ready, reason, message },
    ...(beside === 'neither' ? [] : [{ type: beside, status: 'True' as const, reason, message }]),
    ...(facts.neededBy === undefined || facts.neededBy === 0
      ? []
      : [{ type: IN_USE, status: 'True' as const, reason: IN_USE, message: inUseText(facts.neededBy) }]),
  ];
  return {
    ...previous,
    observedGeneration: facts.generation,
    conditions: drafts.map((next) => settledCondition(previous.conditions, next, facts)),
    ...(facts.check === undefined
      ? {}
      : {
          ...(facts.check.deployments === undefined
            ? {}
            : { deployments: { total: facts.check.deployments.total, managed: facts.managed ?? 0 } }),
          endpoint: facts.check.endpoint,
          learned: facts.check.learned,
          oauthProviders: facts.check.providers.slice(0, PROVIDERS_KEPT).map(shownProvider),
        }),
  };
}

/** Says why a connection that is being deleted still exists. */
export function inUseText(neededBy: number): string {
  const needs = neededBy === 1 ? '1 deployment needs' : `${neededBy} deployments need`;
  return `${needs} this connection for a deletion at the service or a creation under way; it is deleted after that`;
}

function shownProvider({ id, providerID, name, type }: ObservedProvider): ObservedProvider {
  const shown = (text: string): string => textForPeople(text, VALUE_BYTES);
  return {
    id: shown(id),
    providerID: shown(providerID),
    name: shown(name),
    ...defined({ type: type && shown(type) }),
  };
}

/**
 * Sums up the part of a connection's status that concerns its resources; equal texts mean that nothing changed for
 * them.
 */
export function readinessText(status: ConnectionStatus | undefined): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${ready?.status}/${ready?.reason}`;
}
