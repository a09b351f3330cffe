/** An answer for a probe: whether all is well, and a line that says what is not. Never a secret. */
export interface HealthAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** The questions behind /readyz and /healthz. */
export interface Health {
  /** True when everything has started, or a replica stands by, and nothing is being stopped. */
  ready(): HealthAnswer;
  /** False only when a restart of the process would help. */
  healthy(): HealthAnswer;
}
