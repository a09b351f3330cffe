/** The decision of a shard about a connection. */
export type ServingStep =
  /** This shard already owns it. */
  | 'serve'
  /** It has no owner. */
  | 'take'
  /** Another shard serves it while that shard runs. */
  | 'wait for its holder'
  /** This shard owns it, but its selector or its namespaces no longer match. */
  | 'give up'
  | 'leave alone';

/**
 * Decides whether a shard serves a connection: if the shard selects it and the connection's status names the shard's
 * Lease. `status.servedBy` ensures exactly one shard, since selectors may overlap, and labels may change while a shard
 * still works.
 */
export function servingStep(selected: boolean, servedBy: string | undefined, ours: string): ServingStep {
  const holder = servedBy === '' ? undefined : servedBy;
  if (!selected) return holder === ours ? 'give up' : 'leave alone';
  if (holder === undefined) return 'take';
  return holder === ours ? 'serve' : 'wait for its holder';
}
