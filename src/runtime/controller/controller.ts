import { keyText } from '../../api/metadata.ts';
import type { Key } from '../../api/metadata.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { QueueReporter } from '../../ports/process/metrics.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import type { Backoff } from './backoff.ts';
import { runPass, ShutdownError } from './run-pass.ts';
import type { PassResult } from './run-pass.ts';
import { endsWithin } from './within-time.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/**
 * The default time limit of a pass, longer than a wait for a permit, an exchange with the service and the status
 * writes.
 */
const PASS_TIMEOUT_MS = 300_000;

/** How long after its time limit an aborted pass counts as stuck. It still holds its key and its worker. */
const STUCK_MS = 600_000;

/** The share by which the delay of a resync varies, so that resources that started together drift apart. */
const RESYNC_JITTER = 0.2;

/** The time that aborted passes have to record their progress. */
const ABORT_GRACE_MS = 2_000;

/** How long passes run before the event loop runs other work of the process, such as handling an answer. */
const SLICE_MS = 10;

/** The options of a controller. */
export interface ControllerOptions {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconciler: Reconciler;
  readonly backoff: Backoff;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The number of keys that are processed at once. */
  readonly workers: number;
  /** The time after which a pass is aborted. Default: five minutes. */
  readonly passTimeoutMs?: number;
  /** Called at the end of each pass. */
  readonly passed?: (key: Key, result: PassResult, seconds: number) => void;
  readonly reporter?: QueueReporter;
  /** True if its passes only read and can be aborted at any time, so that a stop does not wait for them. */
  readonly readsOnly?: boolean;
}

/** Runs workers that take keys from a queue, reconcile them and queue them again as the result requires. */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #passes = new Map<AbortController, { readonly key: Key; readonly startMs: number }>();
  #workers: Promise<unknown> | undefined;
  #sliceBeganMs = 0;
  #turn: Promise<void> | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
  }

  /** Starts the workers. Throws if they were started before. */
  start(): void {
    if (this.#workers !== undefined)
      throw new Error(`controller ${this.#options.name} has been started before`);
    this.#workers = Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
  }

  /**
   * Takes no new work. Ends passes that only wait or read at once. Lets passes that write finish, and aborts them
   * shortly before `withinMs` are over. Resolves when all have ended, at the latest after `withinMs`.
   */
  async stop(withinMs: number): Promise<void> {
    const { clock, logger, queue, name, readsOnly = false } = this.#options;
    queue.shutdown();
    if (this.#workers === undefined) return;
    if (readsOnly) this.#abortPasses();
    const graceMs = Math.min(ABORT_GRACE_MS, withinMs / 2);
    if (await endsWithin(clock, withinMs - graceMs, this.#workers)) return;
    logger.warn('passes are aborted', { controller: name, passes: this.#passes.size });
    this.#abortPasses();
    if (await endsWithin(clock, graceMs, this.#workers)) return;
    logger.error('passes did not end', { controller: name, passes: this.#passes.size });
  }

  #abortPasses(): void {
    for (const abort of this.#passes.keys()) abort.abort(new ShutdownError());
  }

  /** Returns a message about an aborted pass that does not end: only a restart frees its key and its worker. */
  unhealthy(): string | undefined {
    const { clock, passTimeoutMs = PASS_TIMEOUT_MS } = this.#options;
    for (const { key, startMs } of this.#passes.values()) {
      const seconds = Math.floor((clock.now() - startMs) / 1000);
      if (seconds * 1000 >= passTimeoutMs + STUCK_MS)
        return `the pass over ${keyText(key)} does not end: it began ${seconds} s ago`;
    }
    return undefined;
  }

  async #work(): Promise<void> {
    const { queue } = this.#options;
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      const result = await this.#pass(key);
      this.#putBack(key, result);
      queue.done(key);
      await this.#letOthers();
    }
  }

  /**
   * Lets other work of the process run between passes. Otherwise ten thousand passes that wait for nothing would block
   * it.
   */
  async #letOthers(): Promise<void> {
    const { clock } = this.#options;
    const lastedMs = clock.now() - this.#sliceBeganMs;
    if (lastedMs >= 0 && lastedMs < SLICE_MS) return;
    this.#turn ??= clock.turn().then(() => {
      this.#sliceBeganMs = clock.now();
      this.#turn = undefined;
    });
    await this.#turn;
  }

  async #pass(key: Key): Promise<PassResult> {
    const { clock, reconciler, queue, passTimeoutMs = PASS_TIMEOUT_MS, passed } = this.#options;
    const abort = new AbortController();
    const startMs = clock.now();
    this.#passes.set(abort, { key, startMs });
    const overtaken = queue.overtaken(key);
    const result = await runPass(reconciler, key, { clock, timeoutMs: passTimeoutMs, abort, overtaken });
    this.#passes.delete(abort);
    this.#tell(key, result);
    passed?.(key, result, (clock.now() - startMs) / 1000);
    return result;
  }

  #tell(key: Key, result: PassResult): void {
    const { logger, name, readsOnly = false } = this.#options;
    if (result.kind === 'answered' || (result.kind === 'aborted' && readsOnly)) return;
    const fields = { controller: name, resource: keyText(key), error: result.error };
    if (result.kind === 'panicked') logger.error('a pass broke: this is a bug', fields);
    else if (result.kind === 'timeout') logger.error('a pass took too long', fields);
    else if (result.kind === 'aborted') logger.warn('a pass was aborted', fields);
    else logger.warn('a pass failed', fields);
  }

  #putBack(key: Key, result: PassResult): void {
    const { queue, backoff } = this.#options;
    if (result.kind === 'aborted') return;
    if (result.kind !== 'answered') {
      this.#retry(key, result.kind === 'failed' ? result.atLeastMs : 0);
      return;
    }
    const requeue = result.requeue;
    if (requeue.kind === 'backoff') {
      this.#retry(key, requeue.atLeastMs ?? 0);
      return;
    }
    backoff.forget(key);
    if (requeue.kind === 'on-change') return;
    const isSpread = requeue.priority === 'resync' && requeue.together !== true;
    const ms = isSpread ? this.#spread(requeue.ms) : requeue.ms;
    queue.addAfter(key, ms, requeue.priority);
  }

  #retry(key: Key, atLeastMs: number): void {
    const { queue, backoff, reporter } = this.#options;
    reporter?.retried();
    queue.addAfter(key, Math.max(atLeastMs, backoff.next(key)), 'rollout');
  }

  #spread(ms: number): number {
    return ms * (1 - RESYNC_JITTER + 2 * RESYNC_JITTER * this.#options.clock.random());
  }
}
