import type { LeaseRecord } from '../../model/election/election-step.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { LeaseStore, StoredLease } from '../../ports/stores/lease-store.ts';
import { ApiError, isApiError } from '../client/api-error.ts';
import type { Transport } from '../client/exchange.ts';
import {
  collectionPath,
  isKubernetesObject,
  LEASES,
  microTime,
  objectPath,
} from '../objects/resource-type.ts';
import { MERGE_PATCH } from '../objects/merge-patch.ts';

/** The namespace and the name of a Lease. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Stores a Lease of coordination.k8s.io. The version is the resource version, so that only one of two writers wins. */
export class KubernetesLeaseStore implements LeaseStore {
  readonly #transport: Transport;
  readonly #name: LeaseName;

  constructor(transport: Transport, name: LeaseName) {
    this.#transport = transport;
    this.#name = name;
  }

  async read(signal: AbortSignal): Promise<StoredLease | undefined> {
    try {
      return stored((await this.#transport.request('GET', objectPath(LEASES, this.#name), { signal })).json);
    } catch (error) {
      if (isApiError(error, 'notFound')) return undefined;
      throw error;
    }
  }

  async write(
    record: LeaseRecord,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<StoredLease | 'changed'> {
    try {
      const { json } = await (version === undefined
        ? this.#create(record, signal)
        : this.#patch(record, version, signal));
      return stored(json);
    } catch (error) {
      if (isApiError(error, 'conflict', 'notFound')) return 'changed';
      throw error;
    }
  }

  #create(record: LeaseRecord, signal: AbortSignal): ReturnType<Transport['request']> {
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...this.#name },
      spec: specOf(record),
    };
    return this.#transport.request('POST', collectionPath(LEASES, this.#name.namespace), { body, signal });
  }

  #patch(record: LeaseRecord, version: string, signal: AbortSignal): ReturnType<Transport['request']> {
    return this.#transport.request('PATCH', objectPath(LEASES, this.#name), {
      contentType: MERGE_PATCH,
      body: { metadata: { resourceVersion: version }, spec: specOf(record) },
      signal,
    });
  }
}

function specOf({ holder, durationMs, acquiredMs, renewedMs, transitions }: LeaseRecord): JsonObject {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
    acquireTime: microTime(acquiredMs),
    renewTime: microTime(renewedMs),
    leaseTransitions: transitions,
  };
}

/**
 * Reads a Lease that another program may have written, with defaults for missing fields. Its holder keeps it for its
 * duration.
 */
function stored(json: unknown): StoredLease {
  if (!isKubernetesObject(json)) {
    throw new ApiError('the answer about a Lease is not an object', { kind: 'network' });
  }
  const spec = 'spec' in json && isJsonObject(json.spec) ? json.spec : {};
  const { holderIdentity, leaseDurationSeconds, leaseTransitions } = spec;
  return {
    version: json.metadata.resourceVersion ?? '',
    record: {
      holder: typeof holderIdentity === 'string' ? holderIdentity : '',
      durationMs: isSeconds(leaseDurationSeconds) ? leaseDurationSeconds * 1000 : DEFAULTS.leaseMs,
      acquiredMs: timeOf(spec['acquireTime']),
      renewedMs: timeOf(spec['renewTime']),
      transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
    },
  };
}

/** True for a number of seconds that the API accepts, in 32 bits. */
function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 2 ** 31;
}

function timeOf(value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}
