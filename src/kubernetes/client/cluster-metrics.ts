/** Metrics of the exchanges and watches of the adapter. Labels are bounded: never an object's name. */
export interface ClusterMetrics {
  /** One exchange with the API server at `host` ended; `code` is the status, or `<error>` where none came. */
  requested(method: string, code: string, seconds: number, host: string): void;
  /** A list or a watch of this kind, in a namespace or in all of them (''), said something at this time of our clock. */
  heard(kind: string, namespace: string, atMs: number): void;
  /** A full list was made of this kind. */
  relisted(kind: string): void;
  /** Counts changes that a list showed and the watch before it should have reported: lost events. */
  missed(kind: string, count: number): void;
}
