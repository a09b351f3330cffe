/** The answer to a probe: whether all is well, and a line that names the fault. Never contains a secret. */
export interface HealthAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** Answers /readyz and /healthz. */
export interface Health {
  /** Returns ok if everything has started or this replica stands by, and the process is not stopping. */
  ready(): HealthAnswer;
  /** Returns not ok only if a restart of the process would help. */
  healthy(): HealthAnswer;
}
