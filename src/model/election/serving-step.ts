/** The decision of a shard about a connection. */
export type ServingStep =
  /** It is ours already. */
  | 'serve'
  /** It has no owner. */
  | 'take'
  /** Another shard serves it, as long as that shard runs. */
  | 'wait for its holder'
  /** It was ours, and our selector does not match any more. */
  | 'give up'
  | 'leave alone';

/**
 * Decides which connections a shard serves: those that it selects and whose status names its Lease. `status.servedBy`
 * makes it exactly one shard, since selectors may overlap, and labels may change while a shard is still at work.
 */
export function servingStep(selected: boolean, servedBy: string | undefined, ours: string): ServingStep {
  const holder = servedBy === '' ? undefined : servedBy;
  if (!selected) return holder === ours ? 'give up' : 'leave alone';
  if (holder === undefined) return 'take';
  return holder === ours ? 'serve' : 'wait for its holder';
}
