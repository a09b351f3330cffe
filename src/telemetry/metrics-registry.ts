import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { CONNECTION_REASONS, ROLLOUT_REASONS, SYNCED_REASONS } from '../api/condition.ts';
import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND } from '../api/connection.ts';
import { DEPLOYMENT_KIND } from '../api/deployment.ts';
import { keyText } from '../api/metadata.ts';
import type { Key } from '../api/metadata.ts';
import type { Clock } from '../ports/process/clock.ts';
import type {
  EndedExchange,
  ConnectionMetrics,
  ConnectionState,
  Metrics,
  QueueReporter,
  QueueState,
  ResourceMetrics,
} from '../ports/process/metrics.ts';
import { ClusterSeries } from './cluster-series.ts';
import { ConnectionSeries } from './connection-series.ts';
import { BUCKETS, codeLabel } from './labelled.ts';
import { ElectionSeries } from './election-series.ts';
import { QueueSeries } from './queue-series.ts';

const KINDS = [DEPLOYMENT_KIND, CONNECTION_KIND, CLUSTER_CONNECTION_KIND];

/** The outcomes of passes that the reconcilers and the controllers report. */
const OUTCOMES = [
  'settled',
  'applied',
  'released',
  'waiting',
  'held',
  'failed',
  'timeout',
  'aborted',
  'panicked',
];

/** The values that a status may have. Another program or a person may have written something else. */
const READY: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);
const REASONS: ReadonlySet<string> = new Set([...SYNCED_REASONS, ...ROLLOUT_REASONS, ...CONNECTION_REASONS]);

interface ShownLabels {
  readonly kind: string;
  readonly ready: string;
  readonly reason: string;
}

/**
 * The metrics of this process. Foreseeable series start at zero, so that a rate over the first minutes is correct. The
 * series of a connection exist only while the connection does.
 */
export class MetricsRegistry implements Metrics, ConnectionMetrics, ResourceMetrics {
  /** The metrics of the Kubernetes adapter. */
  readonly cluster: ClusterSeries;
  /** The metrics of leader election. */
  readonly election: ElectionSeries;
  readonly #registry = new Registry();
  readonly #queues: QueueSeries;
  readonly #connections: ConnectionSeries;
  readonly #passes: Counter;
  readonly #passSeconds: Histogram;
  readonly #resources: Gauge;
  readonly #shown = new Map<string, ShownLabels>();
  readonly #equal = new Map<string, ShownLabels>();

  constructor(clock: Pick<Clock, 'now'>) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.cluster = new ClusterSeries(this.#registry, clock);
    this.election = new ElectionSeries(this.#registry);
    this.#queues = new QueueSeries(this.#registry);
    this.#connections = new ConnectionSeries(this.#registry);
    this.#passes = new Counter({
      name: 'dms_reconciles_total',
      help: 'Passes over a resource, by how they ended; panicked is a bug.',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#passSeconds = new Histogram({
      name: 'dms_reconcile_duration_seconds',
      help: 'How long passes over a resource take, waits for the rate limit included.',
      labelNames: ['kind'],
      buckets: [...BUCKETS.work],
      registers,
    });
    this.#resources = new Gauge({
      name: 'dms_resources',
      help: 'Resources by what their Ready condition says.',
      labelNames: ['kind', 'ready', 'reason'],
      registers,
    });
    for (const kind of KINDS) {
      for (const outcome of OUTCOMES) this.#passes.inc({ kind, outcome }, 0);
      this.#passSeconds.zero({ kind });
    }
  }

  /** The media type of the text from `expose`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Returns all metrics in the text format of Prometheus. */
  expose(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Adds a queue under the name of its controller. */
  queue(name: string, state: () => QueueState): QueueReporter {
    return this.#queues.reporter(name, state);
  }

  reconciled(kind: string, outcome: string, seconds: number): void {
    this.#passes.inc({ kind, outcome });
    this.#passSeconds.observe({ kind }, seconds);
  }

  patched(connection: string, cause: string, outcome: string): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.writes.count({ connection, cause, outcome });
  }

  exchanged(connection: string, { operation, code, seconds }: EndedExchange): void {
    if (!this.#connections.has(connection)) return;
    const labels = { connection, operation, code: codeLabel(code) };
    this.#connections.requests.count(labels);
    this.#connections.requestSeconds.observe(labels, seconds);
  }

  swept(connection: string, result: 'complete' | 'partial' | 'failed'): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.sweeps.count({ connection, result });
  }

  drifted(connection: string, action: 'corrected' | 'reported' | 'suspended'): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.drift.count({ connection, action });
  }

  connectionSeen(connection: string, state: () => ConnectionState): void {
    this.#connections.see(connection, state);
  }

  connectionGone(connection: string): void {
    this.#connections.forget(connection);
  }

  permitted(connection: string, waitedSeconds: number): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.waitSeconds.observe({ connection }, waitedSeconds);
  }

  resourceShown(key: Key, ready: string, reason: string): void {
    const before = this.#shown.get(keyText(key));
    const labels = this.#labels(
      key.kind,
      READY.has(ready) ? ready : 'Unknown',
      REASONS.has(reason) ? reason : 'Other',
    );
    if (before?.ready === labels.ready && before.reason === labels.reason) return;
    if (before !== undefined) this.#resources.dec({ ...before });
    this.#shown.set(keyText(key), labels);
    this.#resources.inc({ ...labels });
  }

  /** Returns a shared object for equal labels, since resources are many and labels few. */
  #labels(kind: string, ready: string, reason: string): ShownLabels {
    const text = `${kind}/${ready}/${reason}`;
    const known = this.#equal.get(text) ?? { kind, ready, reason };
    this.#equal.set(text, known);
    return known;
  }

  resourceGone(key: Key): void {
    const before = this.#shown.get(keyText(key));
    if (before === undefined) return;
    this.#shown.delete(keyText(key));
    this.#resources.dec({ ...before });
  }

  revised(connection: string, cause: 'Operator' | 'External' | 'Unknown'): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.revisions.count({ connection, cause });
  }

  editSent(connection: string, seconds: number): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.editToPatchSeconds.observe({ connection }, seconds);
  }

  editActive(connection: string, seconds: number): void {
    if (!this.#connections.has(connection)) return;
    this.#connections.editToActiveSeconds.observe({ connection }, seconds);
  }
}
