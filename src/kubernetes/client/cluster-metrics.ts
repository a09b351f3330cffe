/** An exchange with the API server at `host`. */
export interface ApiExchange {
  readonly method: string;
  /** The status, or `<error>` if no answer arrived. */
  readonly code: string;
  readonly host: string;
}

/**
 * Metrics of the exchanges and watches of the adapter. The labels are bounded: they never contain the name of an
 * object.
 */
export interface ClusterMetrics {
  /** Records that an exchange with an API server ended. */
  requested(exchange: ApiExchange, seconds: number): void;
  /**
   * Records the time, by our clock, at which a list or a watch of this kind received something, in a namespace or in
   * all of them ('').
   */
  heard(kind: string, namespace: string, atMs: number): void;
  /** Records that the client made a full list of this kind. */
  relisted(kind: string): void;
  /** Counts changes that a list showed and the watch before it should have reported: lost events. */
  missed(kind: string, count: number): void;
}
