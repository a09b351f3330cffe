/** When to come back to a key. */
export type Requeue =
  /** Only when something changes. */
  | { readonly kind: 'on-change' }
  /** After `ms`, with the urgency of a poll or of a resync. */
  | { readonly kind: 'after'; readonly ms: number; readonly priority: 'user' | 'rollout' | 'resync' }
  /** After the key's own backoff, at least `atLeastMs`. */
  | { readonly kind: 'backoff'; readonly atLeastMs?: number };
