import type { OperatorMetrics } from '../../../src/compose/operator/operator-phases.ts';
import type { EndedExchange, QueueReporter } from '../../../src/ports/process/metrics.ts';
import { noteTold } from '../../support/leaks/told.ts';

/** Counts reports, by one line of text per series. */
export class MemoryMetrics implements OperatorMetrics {
  readonly counts = new Map<string, number>();

  /** Returns the number of reports of a line of labels. */
  count(line: string): number {
    return this.counts.get(line) ?? 0;
  }

  /** Returns the sum over all lines that begin with a text. */
  sum(beginning: string): number {
    return [...this.counts].reduce((sum, [line, n]) => (line.startsWith(beginning) ? sum + n : sum), 0);
  }

  reconciled(kind: string, outcome: string): void {
    this.#add('reconciled', kind, outcome);
  }

  patched(connection: string, cause: string, outcome: string): void {
    this.#add('patched', connection, cause, outcome);
  }

  exchanged(connection: string, { operation, code }: EndedExchange): void {
    this.#add('exchanged', connection, operation, code);
  }

  swept(connection: string, result: string): void {
    this.#add('swept', connection, result);
  }

  drifted(connection: string, action: string): void {
    this.#add('drifted', connection, action);
  }

  connectionSeen(connection: string): void {
    this.#add('connectionSeen', connection);
  }

  connectionGone(connection: string): void {
    this.#add('connectionGone', connection);
  }

  permitted(connection: string): void {
    this.#add('permitted', connection);
  }

  resourceShown(_key: unknown, ready: string, reason: string): void {
    this.#add('resourceShown', ready, reason);
  }

  resourceGone(): void {
    this.#add('resourceGone');
  }

  revised(connection: string, cause: string): void {
    this.#add('revised', connection, cause);
  }

  editSent(connection: string): void {
    this.#add('editSent', connection);
  }

  editActive(connection: string): void {
    this.#add('editActive', connection);
  }

  queue(): QueueReporter {
    return { added() {}, started() {}, finished() {}, retried: () => this.#add('retried') };
  }

  #add(...labels: readonly string[]): void {
    const line = labels.join(' ');
    noteTold('the metrics', line);
    this.counts.set(line, this.count(line) + 1);
  }
}
