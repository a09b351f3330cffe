import type * as generated from './generated/deployment.ts';
import { type DeepReadonly, GROUP, type ObjectMeta } from './metadata.ts';

/** `spec` of the custom resource, as crds/deployments.yaml describes it. */
export type DeploymentSpec = DeepReadonly<generated.DeploymentSpec>;

/** `status` of the custom resource. Only the controller writes it. */
export type DeploymentStatus = DeepReadonly<generated.DeploymentStatus>;

/** Kind of the custom resource. Code never uses the bare word Deployment, since it also means apps/v1. */
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
  /** The reason why the object was too large, so that only its identity was read. Not part of a manifest. */
  readonly tooLarge?: string;
}

/** The finalizer that keeps a resource until its deletion is finished at the service. */
export const FINALIZER = `${GROUP}/deployment`;

/** Annotations with which people control the operator. */
export const ANNOTATIONS = {
  paused: `${GROUP}/paused`,
  reconcileAt: `${GROUP}/reconcile-at`,
  approve: `${GROUP}/approve`,
  redeploy: `${GROUP}/redeploy`,
  assumeApplied: `${GROUP}/assume-applied`,
} as const;

/** True for a resource that only compares and reports: it owns nothing and writes nothing. */
export function observesOnly({ spec }: Pick<DeploymentResource, 'spec'>): boolean {
  return spec.managementPolicy === 'Observe';
}

/** True for a resource that reports the changes of others and corrects none of them. */
export function reportsDrift({ spec }: Pick<DeploymentResource, 'spec'>): boolean {
  return spec.driftPolicy === 'Report';
}

/** The most characters that are read of an annotation, since a status repeats some of them. */
const LONGEST_ANNOTATION = 128;

/** Returns the first 128 characters of one of our annotations, or undefined if it is not set. */
export function annotation(resource: DeploymentResource, name: keyof typeof ANNOTATIONS): string | undefined {
  return resource.metadata.annotations?.[ANNOTATIONS[name]]?.slice(0, LONGEST_ANNOTATION).toWellFormed();
}
