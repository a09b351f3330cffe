/**
 * Whether this process may act outside at this moment. Two replicas must never write at once, so everything that goes
 * to the service, and every write to the API server, asks before it leaves.
 */
export interface Fence {
  isOpen(): boolean;
  /** Aborts when the fence closes, which is for good: what is under way must end. */
  readonly closed: AbortSignal;
}
