/** A signal of our own that also follows another one, until it is unlinked. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Removes the listener of the parent: a signal that lasts as long as the process must not collect listeners. */
  unlink(): void;
}

/** Makes a signal that aborts with `parent`, or when its `abort` is called. */
export function linkAbort(parent?: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) follow();
  parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => parent?.removeEventListener('abort', follow),
  };
}
