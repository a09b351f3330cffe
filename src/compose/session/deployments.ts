import type { DeploymentResource } from '../../api/deployment.ts';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** A selection of resources. A `namespace` of '' means all, an absent one the user's current namespace. */
export type Selection =
  | { readonly kind: 'names'; readonly namespace: string | undefined; readonly names: readonly string[] }
  | { readonly kind: 'every'; readonly namespace: string | undefined; readonly labels: string | undefined };

/** A resource and its new annotation. */
export interface ToAnnotate {
  readonly resource: DeploymentResource;
  readonly change: AnnotationChange;
}

/**
 * The result of an annotation: it was set in the cluster or in a manifest, or a person must write it into the manifest.
 */
export type Annotated =
  | { readonly kind: 'done'; readonly asked: ToAnnotate; readonly edited?: FilePlace }
  | { readonly kind: 'by hand'; readonly asked: ToAnnotate; readonly what: string };

/** A line of a file, counted from 1. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

/**
 * Deployment resources from manifests or a cluster, for commands that read them and set annotations for the controller.
 */
export interface Deployments {
  readonly clock: Clock;
  /** The problems of the manifests. */
  readonly problems: readonly FileProblem[];
  /** The user's default namespace; a folder has none. */
  readonly namespace: string | undefined;
  /**
   * Returns all chosen resources, in the order of namespace and name. Throws one line that names a missing resource.
   */
  find(selection: Selection, signal: AbortSignal): Promise<readonly DeploymentResource[]>;
  /** Returns the current version of the same resource; undefined if it was deleted. */
  again(resource: DeploymentResource, signal: AbortSignal): Promise<DeploymentResource | undefined>;
  /** Sets annotations in the given order, and reports each one when it is set. */
  annotate(wanted: readonly ToAnnotate[], signal: AbortSignal): AsyncGenerator<Annotated, undefined>;
  close(): Promise<void>;
}

/** Sorts by namespace and name. */
export function inOrder(resources: readonly DeploymentResource[]): readonly DeploymentResource[] {
  const text = ({ metadata }: DeploymentResource): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  return resources.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}
