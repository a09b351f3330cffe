import { textForPeople } from '../../base/text-for-people.ts';

type Status = 'True' | 'False' | 'Unknown';

/** A condition that a pass determined, without its transition time, which `settledCondition` adds. */
export interface ConditionDraft<Type extends string, Reason extends string> {
  readonly type: Type;
  readonly status: Status;
  readonly reason: Reason;
  readonly message: string;
}

/** A condition in a status. */
interface StoredCondition {
  readonly type: string;
  readonly status: Status;
  readonly lastTransitionTime: string;
}

/**
 * Returns a condition after a pass, for a resource of any kind. Following the conventions of the Kubernetes API, the
 * transition time moves when the status changes, but not when only the reason or the message does (R2). So the duration
 * of a reason must be remembered elsewhere.
 */
export function settledCondition<Type extends string, Reason extends string>(
  previous: readonly StoredCondition[] | undefined,
  { type, status, reason, message }: ConditionDraft<Type, Reason>,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): ConditionDraft<Type, Reason> & { observedGeneration: number; lastTransitionTime: string } {
  const before = previous?.find((condition) => condition.type === type);
  return {
    ...{ type, status, reason },
    message: textForPeople(message),
    observedGeneration: generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : new Date(nowMs).toISOString(),
  };
}
