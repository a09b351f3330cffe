import { textForPeople } from '../../base/text-for-people.ts';

type Status = 'True' | 'False' | 'Unknown';

/** A condition that a pass came to; when its status last changed is for `settledCondition` to say. */
export interface ConditionDraft<Type extends string, Reason extends string> {
  readonly type: Type;
  readonly status: Status;
  readonly reason: Reason;
  readonly message: string;
}

/** A condition as a status keeps it. */
interface StoredCondition {
  readonly type: string;
  readonly status: Status;
  readonly lastTransitionTime: string;
}

/**
 * A condition after a pass, of a resource of any kind. As the conventions of the Kubernetes API say, its transition time
 * moves when the status changes, and not when the reason or the message alone do (R2): how long a reason lasts has to be
 * remembered elsewhere.
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
