import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { QueueReporter, QueueState } from '../ports/process/metrics.ts';
import { BUCKETS } from './labelled.ts';

/** The metrics of work queues, under the names that dashboards for controllers know, with the label `name`. */
export class QueueSeries {
  readonly #states = new Map<string, () => QueueState>();
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waits: Histogram;
  readonly #work: Histogram;

  constructor(registry: Registry) {
    const described = (
      name: string,
      help: string,
    ): { name: string; help: string; labelNames: string[]; registers: Registry[] } => ({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
    });
    this.#adds = new Counter(described('workqueue_adds_total', 'Keys that began to wait.'));
    this.#retries = new Counter(described('workqueue_retries_total', 'Keys that went back after a failure.'));
    this.#waits = new Histogram({
      ...described('workqueue_queue_duration_seconds', 'How long keys wait.'),
      buckets: [...BUCKETS.work],
    });
    this.#work = new Histogram({
      ...described('workqueue_work_duration_seconds', 'How long keys are worked on.'),
      buckets: [...BUCKETS.work],
    });
    const gauge = (name: string, help: string, read: (state: QueueState) => number): void => {
      const made: Gauge = new Gauge({
        ...described(name, help),
        collect: () => {
          for (const [queue, state] of this.#states) made.set({ name: queue }, read(state()));
        },
      });
    };
    gauge('workqueue_depth', 'Keys that wait to be worked on now.', (state) => state.waiting);
    gauge('workqueue_delayed', 'Keys that wait for their time.', (state) => state.delayed);
    gauge('workqueue_running', 'Keys that are worked on.', (state) => state.running);
    gauge(
      'workqueue_unfinished_work_seconds',
      'Time spent so far on keys that are worked on.',
      (state) => state.unfinishedSeconds,
    );
    gauge(
      'workqueue_longest_running_processor_seconds',
      'Time spent so far on the key that takes longest.',
      (state) => state.longestRunningSeconds,
    );
  }

  /** Adds a queue, whose series exist from then on; `state` is asked whenever metrics are read. */
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
