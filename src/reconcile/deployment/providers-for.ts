import type { DeploymentResource } from '../../api/deployment.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import { missingFrom, wantsCreation } from '../../model/decide/creation.ts';
import { isDeleting } from '../../model/decide/deletion.ts';
import {
  type FoundRepository,
  type Listed,
  listedSinceMs,
  namedRepository,
  type ObservedProvider,
} from '../../model/external/inventory.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ExternalClient } from '../../ports/service/external-client.ts';

const NOTHING_REQUIRED: Listed<ObservedProvider> = { items: [], more: false };

/** A resource that asks a service for what else is there. */
export interface Asking {
  readonly resource: DeploymentResource;
  readonly service: ExternalClient;
  readonly clock: Clock;
}

/**
 * Returns the providers (4.1), where some are required: from the last list, and from a new one where one of those is
 * missing.
 */
export async function providersFor(
  { resource, service, clock }: Asking,
  signal: AbortSignal,
): Promise<Listed<ObservedProvider>> {
  if (isDeleting(resource) || (resource.spec.requiredOAuthProviders ?? []).length === 0)
    return NOTHING_REQUIRED;
  // For existing providers the check of the connection, every ten minutes, is often enough.
  const known = await service.providers(Number.NEGATIVE_INFINITY, signal);
  if (missingFrom(known, resource).length === 0) return known;
  return service.providers(listedSinceMs(resource, service.settings, clock.now()), signal);
}

/** Returns the repository (4.2) if the operator must create a deployment from it. */
export async function repositoryFor(
  { resource, service, clock }: Asking,
  signal: AbortSignal,
): Promise<FoundRepository | undefined> {
  const wanted = resource.spec.repository;
  if (wanted === undefined || !wantsCreation(resource)) return undefined;
  const find = async (notOlderThanMs: number): Promise<FoundRepository> =>
    namedRepository(wanted, await service.repositories(wanted.integrationID, notOlderThanMs, signal));
  const known = await find(clock.now() - DEFAULTS.resyncMs);
  return typeof known === 'string' ? find(listedSinceMs(resource, service.settings, clock.now())) : known;
}
