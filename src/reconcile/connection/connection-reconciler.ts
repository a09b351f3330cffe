import { type ConnectionReason, IN_USE } from '../../api/condition.ts';
import {
  CLUSTER_CONNECTION_KIND,
  type ConnectionResource,
  type ConnectionStatus,
} from '../../api/connection.ts';
import { sharedNameWarnings } from '../../api/warnings/connection-warnings.ts';
import { type Key, keyOf } from '../../api/metadata.ts';
import {
  type ConnectionName,
  connectionNameOf,
  connectionText,
  DEFAULTS,
} from '../../model/connection/connection.ts';
import { connectionSettings } from '../../model/connection/connection-settings.ts';
import {
  connectionStatus,
  inUseText,
  readyReason,
  rememberedLessons,
} from '../../model/status/connection-status.ts';
import { isDoubt } from '../../model/external/doubt.ts';
import { normal, warning } from '../../model/outcome/event.ts';
import { ConnectionError, FailureError, findCause } from '../../model/connection/failure.ts';
import { dataReferences } from '../../model/connection/data-references.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { ConnectionCheck, Connections } from '../../ports/service/connections.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { ResourceMetrics } from '../../ports/process/metrics.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Namespaces } from '../../ports/stores/namespaces.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import type { DataObject, SecretReader } from '../../ports/stores/secret-reader.ts';
import type { ConnectionHold, Held } from './connection-hold.ts';

/** The parts of the reconciler of connections. */
export interface ConnectionReconcilerParts {
  readonly store: ConnectionStore;
  readonly connections: Connections;
  readonly secrets: SecretReader;
  readonly namespaces: Namespaces;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ResourceMetrics;
  /** The namespace of the Secrets of ClusterConnections. */
  readonly operatorNamespace: string;
  /** Counts the deployment resources that use a connection and are bound. */
  readonly managed: (name: ConnectionName) => number;
  /** Holds connections back from deletion; absent: they are not held back. */
  readonly hold?: ConnectionHold | undefined;
}

/** The result of a check of a connection. */
type Verdict =
  | { readonly reason: 'Ok' | 'Suspended'; readonly message: string; readonly check?: ConnectionCheck }
  | {
      readonly reason: Exclude<ConnectionReason, 'Ok' | 'Suspended'>;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    };

const SUSPENDED: Verdict = {
  reason: 'Suspended',
  message: 'spec.suspend is true: the service is not called',
};

/** Reasons that only a person can remove; a retry every few seconds would only make noise. */
const SLOW: ReadonlySet<ConnectionReason> = new Set([
  'AuthFailed',
  'Forbidden',
  'Redirected',
  'HostNotAllowed',
  'AddressRefused',
  'ProxyNeedsAllowedHosts',
  'ProxyAuthFailed',
]);

/** Reconciles one connection: reads its credentials, tries them, and shows whether the connection can be used. */
export class ConnectionReconciler implements Reconciler {
  readonly #parts: ConnectionReconcilerParts;

  constructor(parts: ConnectionReconcilerParts) {
    this.#parts = parts;
  }

  async reconcile(key: Key, signal: AbortSignal): Promise<Requeue> {
    const name = connectionNameOf(key);
    const found = await this.#parts.store.get(key);
    if (found === undefined) {
      if (!this.#isTerminating(name)) this.#parts.connections.remove(name);
      else await this.#goOnWithout(name, signal);
      if (this.#parts.connections.isConfigured(name))
        return { kind: 'after', ms: DEFAULTS.pollIntervalMs, priority: 'resync' };
      this.#parts.metrics.resourceGone(key);
      return { kind: 'on-change' };
    }
    // This comes before the call to the service, which may hang.
    const held = (await this.#parts.hold?.settle(found, name)) ?? { connection: found, needing: 0 };
    if (held === 'stale') return { kind: 'backoff' };
    // The informer reports the removal as a change.
    if (held === 'gone') return { kind: 'on-change' };
    const { connection: resource } = held;
    const verdict = await this.#try(resource, name, signal);
    const recorded = await this.#record(held, name, verdict);
    this.#tellDeprecation(resource, verdict);
    return recorded === 'stale' ? { kind: 'backoff' } : requeueFor(verdict);
  }

  /**
   * Throws when it was aborted, and for errors that say nothing about the connection, such as a failing API server: the
   * pass is then repeated with backoff. Any other error becomes the reason that the connection shows.
   */
  async #try(resource: ConnectionResource, name: ConnectionName, signal: AbortSignal): Promise<Verdict> {
    const { connections } = this.#parts;
    try {
      await this.#configure(resource);
      if (resource.spec.suspend === true) return SUSPENDED;
      const check = await connections.check(name, signal);
      return {
        reason: 'Ok',
        message: withSharedNames(check.message ?? listedText(check, resource.status), resource),
        check,
      };
    } catch (error) {
      if (signal.aborted || (isPassing(error) && !isUnreadable(error))) throw error;
      const verdict = this.#failed(error);
      if (verdict.reason === 'SecretMissing' && this.#isTerminating(name)) {
        if (resource.spec.suspend !== true) await this.#goOnWithout(name, signal);
      } else this.#parts.connections.markNotReady(name, verdict);
      // The operator does not use the wrong settings while the connection is suspended, so it does not report them yet.
      return resource.spec.suspend === true ? SUSPENDED : verdict;
    }
  }

  async #configure(resource: ConnectionResource): Promise<void> {
    const objects = await this.#read(resource);
    const settings = connectionSettings(
      resource,
      ({ kind, name: object, key }) => objects.get(`${kind}/${object}`)?.data.get(key)?.value,
    );
    const { connections } = this.#parts;
    const lessons = rememberedLessons(resource.status, settings.baseURL);
    connections.configure(settings, lessons, readyReason(resource.status));
  }

  #isTerminating({ namespace }: ConnectionName): boolean {
    return namespace !== '' && this.#parts.namespaces.isTerminating(namespace);
  }

  /**
   * In a namespace that is being deleted, a connection or its Secret may disappear first. Deployments whose deletion
   * is still due then use the last good credentials, which are in memory. The operator tries them, so that a resource
   * that waits for the connection learns whether it is usable. Without such credentials no resource waits (H47).
   */
  async #goOnWithout(name: ConnectionName, signal: AbortSignal): Promise<void> {
    const { connections } = this.#parts;
    if (!connections.isConfigured(name)) return connections.remove(name);
    try {
      await connections.check(name, signal);
    } catch (error) {
      if (signal.aborted || isPassing(error)) throw error;
      connections.markNotReady(name, this.#failed(error));
    }
  }

  #tellDeprecation(resource: ConnectionResource, verdict: Verdict): void {
    const deprecation = verdict.reason === 'Ok' ? verdict.check?.deprecation : undefined;
    if (deprecation === undefined) return;
    const message = `the service announces the end of an endpoint (${deprecation})`;
    this.#parts.events.record(resource, warning('ServiceDeprecation', 'Observe', message));
  }

  #failed(error: unknown): Verdict {
    if (isUnreadable(error)) return { reason: 'SecretMissing', message: error.message, retryAfterMs: 0 };
    const known = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
    if (known === undefined) this.#parts.logger.error('unexpected error', { error });
    const message = known?.message ?? 'unexpected error; see the log of the controller';
    const reason = known?.reason ?? 'ProtocolError';
    if (reason === 'Ok' || reason === 'Suspended') throw new Error(`a failure cannot carry reason ${reason}`);
    return { reason, message, retryAfterMs: known?.retryAfterMs };
  }

  async #read(resource: ConnectionResource): Promise<ReadonlyMap<string, DataObject>> {
    const { secrets, operatorNamespace } = this.#parts;
    const namespace =
      resource.kind === CLUSTER_CONNECTION_KIND ? operatorNamespace : (resource.metadata.namespace ?? '');
    const objects = new Map<string, DataObject>();
    for (const { kind, name } of dataReferences(resource)) {
      const object = await secrets.read({ kind, namespace, name });
      if (object !== undefined) objects.set(`${kind}/${name}`, object);
    }
    return objects;
  }

  /** Returns 'stale' if somebody else wrote meanwhile: the status does not show the verdict yet. */
  async #record(
    { connection: resource, needing }: Held,
    name: ConnectionName,
    verdict: Verdict,
  ): Promise<'done' | 'stale'> {
    const { store, events, clock, logger, metrics, managed } = this.#parts;
    const before: ConnectionStatus = resource.status ?? {};
    const after = connectionStatus(before, {
      generation: resource.metadata.generation ?? 0,
      reason: verdict.reason,
      message: verdict.message,
      nowMs: clock.now(),
      neededBy: resource.metadata.deletionTimestamp === undefined ? 0 : needing,
      ...('check' in verdict && verdict.check !== undefined
        ? { check: verdict.check, managed: managed(name) }
        : {}),
    });
    const saved = await store.saveStatus(resource, after);
    if (saved === 'stale') return 'stale';
    const ready = after.conditions?.find(({ type }) => type === 'Ready');
    if (ready !== undefined) metrics.resourceShown(keyOf(resource), ready.status, ready.reason);
    const tellsInUse = ({ conditions }: ConnectionStatus): boolean =>
      conditions?.some(({ type }) => type === IN_USE) ?? false;
    if (tellsInUse(after) && !tellsInUse(before))
      events.record(saved, warning(IN_USE, 'Delete', inUseText(needing)));
    if (before.conditions?.[0]?.reason === verdict.reason) return 'done';
    const { reason, message } = verdict;
    logger[reason === 'Ok' || reason === 'Suspended' ? 'info' : 'warn']('a connection was checked', {
      connection: connectionText(name),
      reason,
      message,
    });
    const tell = verdict.reason === 'Ok' ? normal : warning;
    events.record(saved, tell(verdict.reason, 'Observe', verdict.message));
    return 'done';
  }
}

/**
 * True for a Secret or ConfigMap that the controller may not read. The status shows it, since only a person can grant
 * the right.
 */
function isUnreadable(error: unknown): error is FailureError {
  return error instanceof FailureError && error.failure.reason === 'SecretMissing';
}

/** Adds a warning if a ClusterConnection lets a namespace bind deployments that seem to belong to another one. */
function withSharedNames(message: string, { spec }: ConnectionResource): string {
  const notes = sharedNameWarnings({ ...spec }).map(({ path, message: what }) => `${path} ${what}`);
  // A message that was carried over from before may contain them already.
  return [message, ...notes.filter((note) => !message.includes(note))].join('; ');
}

/** Returns what an earlier process wrote about the list, until the first read of a long list has ended. */
function listedText({ deployments }: ConnectionCheck, before: ConnectionStatus | undefined): string {
  if (deployments !== undefined)
    return `the service lists ${deployments.total} ${deployments.total === 1 ? 'deployment' : 'deployments'}`;
  const ready = before?.conditions?.find(({ type, reason }) => type === 'Ready' && reason === 'Ok');
  return ready?.message ?? 'the service lists deployments; the operator is reading them';
}

/** True for a failure on our own side that ends by itself. */
function isPassing(error: unknown): boolean {
  const known = findCause(error, (e): e is FailureError => e instanceof FailureError);
  return known !== undefined && known.failure.kind !== 'terminal';
}

function requeueFor(verdict: Verdict): Requeue {
  if (verdict.reason === 'Suspended') return { kind: 'on-change' };
  if (verdict.reason === 'Ok') return { kind: 'after', ms: DEFAULTS.resyncMs, priority: 'resync' };
  // A missing Secret is watched: creating it starts a pass, so the slow interval is enough. An unreadable one is not
  // watched, so the operator retries with backoff.
  const told = verdict.reason === 'SecretMissing' && verdict.retryAfterMs === undefined;
  if (told) return { kind: 'after', ms: DEFAULTS.authRetryMs, priority: 'resync' };
  // Reads the list once each time, so that short trouble delays no resource for long (R9).
  if ('retryAfterMs' in verdict && isDoubt(verdict.reason))
    return { kind: 'after', ms: verdict.retryAfterMs ?? DEFAULTS.pollIntervalMs, priority: 'resync' };
  if (SLOW.has(verdict.reason)) return { kind: 'after', ms: DEFAULTS.authRetryMs, priority: 'resync' };
  return 'retryAfterMs' in verdict && verdict.retryAfterMs !== undefined
    ? { kind: 'backoff', atLeastMs: verdict.retryAfterMs }
    : { kind: 'backoff' };
}
