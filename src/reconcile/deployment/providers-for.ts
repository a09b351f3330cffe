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

/** A resource whose pass asks its service for other lists. */
export interface Asking {
  readonly resource: DeploymentResource;
  readonly service: ExternalClient;
  readonly clock: Clock;
}

/**
 * Returns the providers (4.1) if the resource requires some: from the last list, or from a new one if a required
 * provider is missing.
 */
export async function providersFor(
  { resource, service, clock }: Asking,
  signal: AbortSignal,
): Promise<Listed<ObservedProvider>> {
  if (isDeleting(resource) || (resource.spec.requiredOAuthProviders ?? []).length === 0)
    return NOTHING_REQUIRED;
  // The check of the connection reads the providers every ten minutes, which is often enough for existing ones.
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
