/** An exchange with the API server at `host`. */
export interface ApiExchange {
  readonly method: string;
  /** The status, or `<error>` where none came. */
  readonly code: string;
  readonly host: string;
}

/** Metrics of the exchanges and watches of the adapter. Labels are bounded: never an object's name. */
export interface ClusterMetrics {
  /** One exchange with an API server ended. */
  requested(exchange: ApiExchange, seconds: number): void;
  /**
   * A list or a watch of this kind, in a namespace or in all of them (''), received something at this time of our
   * clock.
   */
  heard(kind: string, namespace: string, atMs: number): void;
  /** The client made a full list of this kind. */
  relisted(kind: string): void;
  /** Counts changes that a list showed and the watch before it should have reported: lost events. */
  missed(kind: string, count: number): void;
}
