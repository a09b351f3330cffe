import type { ANNOTATIONS, DeploymentResource } from '../../api/deployment.ts';

/** The change that a verb makes to its annotation on one resource. */
export type VerbChange =
  /** Null removes it. */
  | { readonly kind: 'set'; readonly value: string | null }
  /** It is so already. */
  | { readonly kind: 'nothing'; readonly why: string };

/** The annotation by which a verb speaks to the controller, and its change. */
export interface AnnotationVerb {
  readonly annotation: keyof typeof ANNOTATIONS;
  /** The end of the sentence about a resource after the change. */
  readonly doneText: string;
  /** Returns the change of one resource; `value` is that of the annotation. Throws an ExpectedError where none may be made. */
  readonly plan: (resource: DeploymentResource, value: string | undefined, nowMs: number) => VerbChange;
}

/** The verbs that need nothing but the resource and the time; `approve` needs a plan as well. */
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
    // Any value goes, also one that pauses nothing and is only warned about.
    plan: (_, value) =>
      value === undefined ? { kind: 'nothing', why: 'is not paused' } : { kind: 'set', value: null },
  },
  reconcile: { annotation: 'reconcileAt', doneText: 'will be looked at', plan: setToNow },
  redeploy: { annotation: 'redeploy', doneText: 'will be redeployed', plan: setToNow },
} as const satisfies Readonly<Record<string, AnnotationVerb>>;

/** Uses milliseconds, since a value counts only if it differs from the one before. */
function setToNow(_: DeploymentResource, __: string | undefined, nowMs: number): VerbChange {
  return { kind: 'set', value: new Date(nowMs).toISOString() };
}
