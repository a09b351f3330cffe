/** The duration of a task, and its processor time in this process. */
export interface Elapsed {
  readonly seconds: number;
  /** The processor time of all threads together, which says more on a machine that others use too. */
  readonly processorSeconds: number;
}

/** Starts to measure; the answer says how long it has been. */
export function stopwatch(): () => Elapsed {
  const beganMs = performance.now();
  const used = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(used);
    return { seconds: (performance.now() - beganMs) / 1_000, processorSeconds: (user + system) / 1e6 };
  };
}
