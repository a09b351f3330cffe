import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { QueueReporter, QueueState } from '../ports/process/metrics.ts';
import { BUCKETS } from './labelled.ts';

/** A gauge of a queue whose value is read whenever metrics are. */
interface QueueGauge {
  readonly name: string;
  readonly help: string;
  readonly read: (state: QueueState) => number;
}

const GAUGES: readonly QueueGauge[] = [
  { name: 'workqueue_depth', help: 'Keys that wait to be worked on now.', read: (state) => state.waiting },
  { name: 'workqueue_delayed', help: 'Keys that wait for their time.', read: (state) => state.delayed },
  { name: 'workqueue_running', help: 'Keys that are worked on.', read: (state) => state.running },
  {
    name: 'workqueue_unfinished_work_seconds',
    help: 'Time spent so far on keys that are worked on.',
    read: (state) => state.unfinishedSeconds,
  },
  {
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Time spent so far on the key that takes longest.',
    read: (state) => state.longestRunningSeconds,
  },
];

/** The metrics of work queues, under the names that dashboards for controllers expect, with the label `name`. */
export class QueueSeries {
  readonly #states = new Map<string, () => QueueState>();
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waits: Histogram;
  readonly #work: Histogram;

  constructor(registry: Registry) {
    const common = { labelNames: ['name'], registers: [registry] };
    this.#adds = new Counter({
      ...common,
      name: 'workqueue_adds_total',
      help: 'Keys that began to wait.',
    });
    this.#retries = new Counter({
      ...common,
      name: 'workqueue_retries_total',
      help: 'Keys that went back after a failure.',
    });
    this.#waits = new Histogram({
      ...common,
      name: 'workqueue_queue_duration_seconds',
      help: 'How long keys wait.',
      buckets: [...BUCKETS.work],
    });
    this.#work = new Histogram({
      ...common,
      name: 'workqueue_work_duration_seconds',
      help: 'How long keys are worked on.',
      buckets: [...BUCKETS.work],
    });
    for (const { read, ...described } of GAUGES) {
      const gauge: Gauge = new Gauge({
        ...{ ...common, ...described },
        collect: () => {
          for (const [name, state] of this.#states) gauge.set({ name }, read(state()));
        },
      });
    }
  }

  /** Adds a queue and creates its series. `state` is called whenever metrics are read. */
  reporter(name: string, state: () => QueueState): QueueReporter {
    this.#states.set(name, state);
    this.#adds.inc({ name }, 0);
    this.#retries.inc({ name }, 0);
    this.#waits.zero({ name });
    this.#work.zero({ name });
    return {
      added: () => this.#adds.inc({ name }),
      started: (waitedSeconds) => this.#waits.observe({ name }, waitedSeconds),
      finished: (workedSeconds) => this.#work.observe({ name }, workedSeconds),
      retried: () => this.#retries.inc({ name }),
    };
  }
}
