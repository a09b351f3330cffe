/** The decision of a shard about a connection. */
export type ServingStep =
  /** It is ours already. */
  | 'serve'
  /** It has no owner. */
  | 'take'
  /** Another shard's, as long as that lives. */
  | 'wait for its holder'
  /** It was ours, and our selector does not match any more. */
  | 'give up'
  | 'leave alone';

/**
 * Which connections a shard serves: those that it selects and that name its Lease. `status.servedBy` is what makes
 * it exactly one, since selectors may overlap, and labels may move while a shard is still at work.
 */
export function servingStep(selected: boolean, servedBy: string | undefined, ours: string): ServingStep {
  const holder = servedBy === '' ? undefined : servedBy;
  if (!selected) return holder === ours ? 'give up' : 'leave alone';
  if (holder === undefined) return 'take';
  return holder === ours ? 'serve' : 'wait for its holder';
}
