import type { Key } from '../../api/metadata.ts';
import { classify } from '../../model/connection/failure.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';

/** The abort reason of a pass that took too long. */
export class PassTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`the pass took longer than ${timeoutMs / 1000} s`);
    this.name = 'PassTimeoutError';
  }
}

/** The abort reason of work that ends because the process stops. */
export class ShutdownError extends Error {
  constructor() {
    super('the process is stopping');
    this.name = 'ShutdownError';
  }
}

/** The result of one pass over a key. `failed` has a known reason, and `panicked` is a bug. */
export type PassResult =
  | { readonly kind: 'answered'; readonly requeue: Requeue }
  | { readonly kind: 'failed'; readonly error: unknown; readonly atLeastMs: number }
  | { readonly kind: 'timeout' | 'aborted' | 'panicked'; readonly error: unknown };

/**
 * Runs one pass and never throws. The pass ends when the reconciler returns, not at its time limit: the limit only
 * aborts its signal, and its key stays taken until it returns.
 */
export async function runPass(
  reconciler: Reconciler,
  key: Key,
  limits: {
    readonly clock: Clock;
    readonly timeoutMs: number;
    readonly abort: AbortController;
    /** See `Reconciler`. */
    readonly overtaken?: AbortSignal | undefined;
  },
): Promise<PassResult> {
  const { clock, timeoutMs, abort, overtaken } = limits;
  const cancelTimer = clock.after(timeoutMs, () => abort.abort(new PassTimeoutError(timeoutMs)));
  try {
    return { kind: 'answered', requeue: await reconciler.reconcile(key, abort.signal, overtaken) };
  } catch (error) {
    return afterError(error, abort.signal);
  } finally {
    cancelTimer();
  }
}

function afterError(error: unknown, signal: AbortSignal): PassResult {
  if (signal.reason instanceof PassTimeoutError) return { kind: 'timeout', error };
  if (signal.aborted) return { kind: 'aborted', error };
  const failure = classify(error);
  if (failure.kind === 'bug') return { kind: 'panicked', error };
  if (failure.kind === 'transient') return { kind: 'failed', error, atLeastMs: failure.retryAfterMs ?? 0 };
  return { kind: 'failed', error, atLeastMs: failure.kind === 'waiting' ? (failure.againInMs ?? 0) : 0 };
}
