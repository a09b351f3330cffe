import type { Fence } from '../../../src/ports/process/fence.ts';

/** A fence that a test opens and closes. */
export class TestFence implements Fence {
  open = true;
  readonly #closing = new AbortController();

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  isOpen(): boolean {
    return this.open;
  }

  /** Closes the fence permanently, as after the loss of a Lease. */
  close(): void {
    this.open = false;
    this.#closing.abort(new Error('closed'));
  }
}
