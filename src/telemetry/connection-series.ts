import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ConnectionState } from '../ports/process/metrics.ts';
import { BUCKETS, ConnectionCounter, ConnectionHistogram, type Description } from './labelled.ts';

const WRITE_CAUSES = ['spec', 'drift', 'secret', 'redeploy', 'repair', 'create', 'delete'];
const WRITE_OUTCOMES = ['applied', 'waiting', 'failed'];
const REVISION_CAUSES = ['Operator', 'External', 'Unknown'];
const SWEEP_RESULTS = ['complete', 'partial', 'failed'];
const DRIFT_ACTIONS = ['corrected', 'reported', 'suspended'];

/** The operations of a service, each with its status on success. */
const OPERATIONS = {
  list: '200',
  patch: '200',
  create: '201',
  delete: '204',
  providers: '200',
  repositories: '200',
} as const;

/** The codes that alerts use. */
const BAD_CODES = ['429', '500', '503', 'Timeout', 'Unreachable'];

const EXCHANGE_LABELS = ['connection', 'operation', 'code'];

const COUNTERS = {
  requests: { name: 'dms_service_requests_total', help: 'Requests to the service.', labels: EXCHANGE_LABELS },
  writes: {
    name: 'dms_patches_total',
    help: `Writes to the service; cause is ${oneOf(WRITE_CAUSES)}.`,
    labels: ['connection', 'cause', 'outcome'],
  },
  revisions: {
    name: 'dms_revisions_total',
    help: 'New revisions seen: made by us (Operator), or by something else (External).',
    labels: ['connection', 'cause'],
  },
  drift: {
    name: 'dms_drift_total',
    help: 'Drift: corrected, reported, or suspended after too many corrections.',
    labels: ['connection', 'action'],
  },
  sweeps: {
    name: 'dms_list_passes_total',
    help: 'Passes over the list of deployments: complete ones, which show what is absent, partial and failed ones.',
    labels: ['connection', 'result'],
  },
} as const satisfies Readonly<Record<string, Description>>;

const HISTOGRAMS = {
  requestSeconds: {
    name: 'dms_service_request_duration_seconds',
    help: 'How long requests to the service take.',
    labels: EXCHANGE_LABELS,
  },
  waitSeconds: {
    name: 'dms_service_queue_wait_seconds',
    help: 'How long calls waited for the rate limit.',
    labels: ['connection'],
  },
  editToPatchSeconds: {
    name: 'dms_edit_to_patch_seconds',
    help: 'From the first look at an edit to the end of its write.',
    labels: ['connection'],
  },
  editToActiveSeconds: {
    name: 'dms_edit_to_active_seconds',
    help: 'From the first look at an edit until its revision is active.',
    labels: ['connection'],
  },
} as const satisfies Readonly<Record<string, Description>>;

/** A gauge whose value is read whenever metrics are. Undefined omits the connection. */
interface ConnectionGauge {
  readonly name: string;
  readonly help: string;
  readonly read: (state: ConnectionState) => number | undefined;
}

const GAUGES: readonly ConnectionGauge[] = [
  {
    name: 'dms_service_queue_depth',
    help: 'Calls that wait for the rate limit.',
    read: (state) => state.waiting,
  },
  {
    name: 'dms_service_gate_closed',
    help: '1 while the service has asked for a pause.',
    read: (state) => (state.gateClosed ? 1 : 0),
  },
  {
    name: 'dms_snapshot_age_seconds',
    help: 'Since the list was last read to its end; absent before the first time, and while suspended.',
    read: (state) => state.snapshotAgeSeconds,
  },
  {
    name: 'dms_poll_interval_seconds',
    help: 'How often the list is to be read; absent while the connection is suspended.',
    read: (state) => state.pollIntervalSeconds,
  },
  {
    name: 'dms_list_unreadable_items',
    help: 'Items of the newest list that could not be read, which keeps what is absent from being noticed.',
    read: (state) => state.unreadableItems,
  },
];

/** All metrics with the label `connection`. The foreseeable series of a connection are created with it. */
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
    const { requestSeconds, waitSeconds, editToPatchSeconds, editToActiveSeconds } = HISTOGRAMS;
    this.requests = new ConnectionCounter(registry, COUNTERS.requests);
    this.requestSeconds = new ConnectionHistogram(registry, requestSeconds, BUCKETS.exchange);
    this.writes = new ConnectionCounter(registry, COUNTERS.writes);
    this.revisions = new ConnectionCounter(registry, COUNTERS.revisions);
    this.drift = new ConnectionCounter(registry, COUNTERS.drift);
    this.sweeps = new ConnectionCounter(registry, COUNTERS.sweeps);
    this.waitSeconds = new ConnectionHistogram(registry, waitSeconds, BUCKETS.work);
    this.editToPatchSeconds = new ConnectionHistogram(registry, editToPatchSeconds, BUCKETS.work);
    this.editToActiveSeconds = new ConnectionHistogram(registry, editToActiveSeconds, BUCKETS.rollout);
    for (const gauge of GAUGES) this.#show(gauge, registry);
  }

  /** True while a connection exists. Recording a metric later would create its series again. */
  has(connection: string): boolean {
    return this.#seen.has(connection);
  }

  /** Creates the series of a connection. `state` is called whenever metrics are read. */
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

  /** Removes the series of a connection. */
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

  #show({ name, help, read }: ConnectionGauge, registry: Registry): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: ['connection'],
      registers: [registry],
      collect: () => {
        gauge.reset();
        for (const [connection, state] of this.#seen) {
          const value = read(state());
          if (value !== undefined) gauge.set({ connection }, value);
        }
      },
    });
  }
}

function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
