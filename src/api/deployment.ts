import type * as generated from './generated/deployment.ts';
import { type DeepReadonly, GROUP, type ObjectMeta } from './metadata.ts';

/** `spec` of the custom resource, as crds/deployments.yaml describes it. */
export type DeploymentSpec = DeepReadonly<generated.DeploymentSpec>;

/** `status` of the custom resource, written by the controller alone. */
export type DeploymentStatus = DeepReadonly<generated.DeploymentStatus>;

/** Kind of the custom resource; the bare word Deployment is never used in code, since it also means apps/v1. */
export const DEPLOYMENT_KIND = 'Deployment';

/** Plural of the custom resource in API paths. */
export const DEPLOYMENT_PLURAL = 'deployments';

/** A resource as its user wrote it, with metadata and status. */
export interface DeploymentResource {
  readonly apiVersion: string;
  readonly kind: typeof DEPLOYMENT_KIND;
  readonly metadata: ObjectMeta;
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
  /** Why only as much was read of it as says which one it is; no part of a manifest. */
  readonly tooLarge?: string;
}

/** Holds a resource back until what deletion owes outside is done. */
export const FINALIZER = `${GROUP}/deployment`;

/** Annotations through which people speak to the controller. */
export const ANNOTATIONS = {
  paused: `${GROUP}/paused`,
  reconcileAt: `${GROUP}/reconcile-at`,
  approve: `${GROUP}/approve`,
  redeploy: `${GROUP}/redeploy`,
  assumeApplied: `${GROUP}/assume-applied`,
} as const;

/** True for a resource that only compares and shows: it owns nothing and writes nothing. */
export function observesOnly({ spec }: Pick<DeploymentResource, 'spec'>): boolean {
  return spec.managementPolicy === 'Observe';
}

/** True for a resource that reports what others change, and corrects none of it. */
export function reportsDrift({ spec }: Pick<DeploymentResource, 'spec'>): boolean {
  return spec.driftPolicy === 'Report';
}

/** As much of an annotation is read: a status repeats some of them. */
const LONGEST_ANNOTATION = 128;

/** The text of one of our annotations up to its 128th character, absent when it was not set. */
export function annotation(resource: DeploymentResource, name: keyof typeof ANNOTATIONS): string | undefined {
  return resource.metadata.annotations?.[ANNOTATIONS[name]]?.slice(0, LONGEST_ANNOTATION).toWellFormed();
}
