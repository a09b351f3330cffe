import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ConnectionState } from '../ports/process/metrics.ts';
import { BUCKETS, ConnectionCounter, ConnectionHistogram } from './labelled.ts';

const WRITE_CAUSES = ['spec', 'drift', 'secret', 'redeploy', 'repair', 'create', 'delete'];
const WRITE_OUTCOMES = ['applied', 'waiting', 'failed'];
const REVISION_CAUSES = ['Operator', 'External', 'Unknown'];
const SWEEP_RESULTS = ['complete', 'partial', 'failed'];
const DRIFT_ACTIONS = ['corrected', 'reported', 'suspended'];

/** The operations of a service, each with the status of a good answer. */
const OPERATIONS = {
  list: '200',
  patch: '200',
  create: '201',
  delete: '204',
  providers: '200',
  repositories: '200',
} as const;

/** The codes that alerts look for. */
const BAD_CODES = ['429', '500', '503', 'Timeout', 'Unreachable'];

const EXCHANGE_LABELS = ['connection', 'operation', 'code'];

/** Every metric with the label `connection`; what can be foreseen of one connection exists once it is seen. */
export class ConnectionSeries {
  readonly requests: ConnectionCounter;
  readonly requestSeconds: ConnectionHistogram;
  readonly writes: ConnectionCounter;
  readonly revisions: ConnectionCounter;
  readonly drift: ConnectionCounter;
  readonly sweeps: ConnectionCounter;
  readonly waitSeconds: ConnectionHistogram;
  readonly editToPatchSeconds: ConnectionHistogram;
  readonly editToActiveSeconds: ConnectionHistogram;
  readonly #seen = new Map<string, () => ConnectionState>();

  constructor(registry: Registry) {
    const counter = (name: string, help: string, labels: readonly string[]): ConnectionCounter =>
      new ConnectionCounter(registry, { name, help, labels });
    const seconds = (name: string, help: string, buckets: readonly number[]): ConnectionHistogram =>
      new ConnectionHistogram(registry, { name, help, labels: ['connection'] }, buckets);
    this.requests = counter('dms_service_requests_total', 'Requests to the service.', EXCHANGE_LABELS);
    this.requestSeconds = new ConnectionHistogram(
      registry,
      {
        name: 'dms_service_request_duration_seconds',
        help: 'How long requests to the service take.',
        labels: EXCHANGE_LABELS,
      },
      BUCKETS.exchange,
    );
    this.writes = counter('dms_patches_total', `Writes to the service; cause is ${oneOf(WRITE_CAUSES)}.`, [
      'connection',
      'cause',
      'outcome',
    ]);
    this.revisions = counter(
      'dms_revisions_total',
      'New revisions seen: made by us (Operator), or by something else (External).',
      ['connection', 'cause'],
    );
    this.drift = counter(
      'dms_drift_total',
      'Drift: corrected, reported, or suspended after too many corrections.',
      ['connection', 'action'],
    );
    this.sweeps = counter(
      'dms_list_passes_total',
      'Passes over the list of deployments: complete ones, which show what is absent, partial and failed ones.',
      ['connection', 'result'],
    );
    this.waitSeconds = seconds(
      'dms_service_queue_wait_seconds',
      'How long calls waited for the rate limit.',
      BUCKETS.work,
    );
    this.editToPatchSeconds = seconds(
      'dms_edit_to_patch_seconds',
      'From the first look at an edit to the end of its write.',
      BUCKETS.work,
    );
    this.editToActiveSeconds = seconds(
      'dms_edit_to_active_seconds',
      'From the first look at an edit until its revision is active.',
      BUCKETS.rollout,
    );
    this.#gauges(registry);
  }

  /** True from the first sight of a connection until it is gone; a later report would bring its series back. */
  has(connection: string): boolean {
    return this.#seen.has(connection);
  }

  /** Makes the series of a connection exist; `state` is asked whenever metrics are read. */
  see(connection: string, state: () => ConnectionState): void {
    this.#seen.set(connection, state);
    for (const cause of WRITE_CAUSES) {
      for (const outcome of WRITE_OUTCOMES) this.writes.zero({ connection, cause, outcome });
    }
    for (const cause of REVISION_CAUSES) this.revisions.zero({ connection, cause });
    for (const result of SWEEP_RESULTS) this.sweeps.zero({ connection, result });
    for (const action of DRIFT_ACTIONS) this.drift.zero({ connection, action });
    for (const [operation, code] of Object.entries(OPERATIONS)) {
      for (const any of [code, ...BAD_CODES]) this.requests.zero({ connection, operation, code: any });
      this.requestSeconds.zero({ connection, operation, code });
    }
    for (const histogram of [this.waitSeconds, this.editToPatchSeconds, this.editToActiveSeconds]) {
      histogram.zero({ connection });
    }
  }

  /** Drops the series of a connection. */
  forget(connection: string): void {
    this.#seen.delete(connection);
    const counters = [this.requests, this.writes, this.revisions, this.drift, this.sweeps];
    const histograms = [
      this.requestSeconds,
      this.waitSeconds,
      this.editToPatchSeconds,
      this.editToActiveSeconds,
    ];
    for (const metric of [...counters, ...histograms]) metric.forget(connection);
  }

  #gauges(registry: Registry): void {
    const seen = this.#seen;
    const gauge = (
      name: string,
      help: string,
      read: (state: ConnectionState) => number | undefined,
    ): void => {
      const made: Gauge = new Gauge({
        name,
        help,
        labelNames: ['connection'],
        registers: [registry],
        collect: () => {
          made.reset();
          for (const [connection, state] of seen) {
            const value = read(state());
            if (value !== undefined) made.set({ connection }, value);
          }
        },
      });
    };
    gauge('dms_service_queue_depth', 'Calls that wait for the rate limit.', (state) => state.waiting);
    gauge('dms_service_gate_closed', '1 while the service has asked for a pause.', (state) =>
      state.gateClosed ? 1 : 0,
    );
    gauge(
      'dms_snapshot_age_seconds',
      'Since the list was last read to its end; absent before the first time, and while suspended.',
      (state) => state.snapshotAgeSeconds,
    );
    gauge(
      'dms_poll_interval_seconds',
      'How often the list is to be read; absent while the connection is suspended.',
      (state) => state.pollIntervalSeconds,
    );
    gauge(
      'dms_list_unreadable_items',
      'Items of the newest list that could not be read, which keeps what is absent from being noticed.',
      (state) => state.unreadableItems,
    );
  }
}

function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
