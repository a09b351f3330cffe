/** What the core reports about itself. Labels are bounded; an object's name is never one. */
export interface Metrics {
  /** One pass ended. */
  reconciled(kind: string, outcome: string, seconds: number): void;
  /** One write to the service ended. */
  patched(connection: string, cause: string, outcome: string): void;
  /** One exchange with the service ended; `code` is the status or the name of the error. */
  exchanged(connection: string, operation: string, code: string, seconds: number): void;
  /** One list pass of a connection ended. */
  swept(connection: string, result: 'complete' | 'partial' | 'failed'): void;
  /** Drift was seen and dealt with in this way. */
  drifted(connection: string, action: 'corrected' | 'reported' | 'suspended'): void;
}
