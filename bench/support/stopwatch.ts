/** How long something took, and how much of that this process had the processor. */
export interface Elapsed {
  readonly seconds: number;
  /** Of all threads together; on a machine that others use too, this says more. */
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
