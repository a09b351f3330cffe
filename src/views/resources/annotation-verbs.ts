import type { ANNOTATIONS, DeploymentResource } from '../../api/deployment.ts';

/** The change that a verb makes to its annotation on one resource. */
export type VerbChange =
  /** The new value; null removes the annotation. */
  | { readonly kind: 'set'; readonly value: string | null }
  /** The annotation already has the intended state. */
  | { readonly kind: 'nothing'; readonly why: string };

/** The annotation that a verb sets for the controller, and its change. */
export interface AnnotationVerb {
  readonly annotation: keyof typeof ANNOTATIONS;
  /** The end of the sentence that reports the change of a resource. */
  readonly doneText: string;
  /**
   * Returns the change of one resource; `value` is the current value of the annotation. Throws an ExpectedError if no
   * change is allowed.
   */
  readonly plan: (resource: DeploymentResource, value: string | undefined, nowMs: number) => VerbChange;
}

/** The verbs that need only the resource and the time; `approve` also needs a plan. */
export const ANNOTATION_VERBS = {
  pause: {
    annotation: 'paused',
    doneText: 'paused',
    plan: (_, value) =>
      value === 'true' ? { kind: 'nothing', why: 'is paused already' } : { kind: 'set', value: 'true' },
  },
  resume: {
    annotation: 'paused',
    doneText: 'resumed',
    // Any value is removed, even an invalid value, which pauses nothing and only causes a warning.
    plan: (_, value) =>
      value === undefined ? { kind: 'nothing', why: 'is not paused' } : { kind: 'set', value: null },
  },
  reconcile: { annotation: 'reconcileAt', doneText: 'will be looked at', plan: setToNow },
  redeploy: { annotation: 'redeploy', doneText: 'will be redeployed', plan: setToNow },
} as const satisfies Readonly<Record<string, AnnotationVerb>>;

/**
 * Sets the annotation to the current time in milliseconds, since a value counts only if it differs from the previous
 * one.
 */
function setToNow(_: DeploymentResource, __: string | undefined, nowMs: number): VerbChange {
  return { kind: 'set', value: new Date(nowMs).toISOString() };
}
