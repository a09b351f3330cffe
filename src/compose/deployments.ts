import type { DeploymentResource } from '../api/deployment.ts';
import type { FileProblem } from '../model/file-problem.ts';
import type { Clock } from '../ports/clock.ts';

/** Which resources are meant. A `namespace` of '' means all, an absent one that in which the user works. */
export type Selection =
  | { readonly kind: 'names'; readonly namespace: string | undefined; readonly names: readonly string[] }
  | { readonly kind: 'every'; readonly namespace: string | undefined; readonly labels: string | undefined };

/** One annotation, set or, with null, removed. */
export interface AnnotationChange {
  readonly name: string;
  readonly value: string | null;
}

/** What came of an annotation: it is set, or a person must write it where the resource is declared. */
export type Annotated =
  | { readonly kind: 'done'; readonly resource: DeploymentResource }
  | { readonly kind: 'by hand'; readonly what: string };

/** Deployment resources, wherever they are declared, for commands that look at them and speak to the controller. */
export interface Deployments {
  readonly clock: Clock;
  /** What is wrong with manifests. */
  readonly problems: readonly FileProblem[];
  /** All that are meant, in the order of namespace and name. Throws one line that says which name does not exist. */
  find(selection: Selection, signal: AbortSignal): Promise<readonly DeploymentResource[]>;
  /** The same resource as it is now; undefined when it is gone. */
  again(resource: DeploymentResource, signal: AbortSignal): Promise<DeploymentResource | undefined>;
  annotate(resource: DeploymentResource, change: AnnotationChange, signal: AbortSignal): Promise<Annotated>;
  close(): Promise<void>;
}

/** By namespace and name. */
export function inOrder(resources: readonly DeploymentResource[]): readonly DeploymentResource[] {
  const text = ({ metadata }: DeploymentResource): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  return resources.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}
