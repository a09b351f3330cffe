/**
 * Decides whether this process may act at this moment. Two replicas must never write at once, so every request to the
 * service and every write to the API server checks the fence before it is sent.
 */
export interface Fence {
  isOpen(): boolean;
  /** Aborts when the fence closes, which is final: current work must end. */
  readonly closed: AbortSignal;
}
