/** One row of a decision table: a plan, or nothing when the row does not apply. */
export interface Row<S, P> {
  readonly situation: string;
  readonly plan: (s: S) => P | undefined;
}

/** Returns the answer of the first row that applies. */
export function firstMatch<S, P>(rows: readonly Row<S, P>[], situation: S): P | undefined {
  for (const row of rows) {
    const plan = row.plan(situation);
    if (plan !== undefined) return plan;
  }
  return undefined;
}
