import type { ConnectionResource } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import type { EventLine } from '../../views/screens/deployment-screen.ts';
import type { Freshness } from '../../views/screens/overview.ts';
import type { SessionOptions } from '../session/session.ts';

/** Namespace and name of a resource. */
export interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** The result of setting an annotation. */
export type SourceChange =
  | { readonly kind: 'done'; readonly where?: string | undefined }
  | { readonly kind: 'forbidden'; readonly missingRight: string }
  /** The resource has a different version now. */
  | { readonly kind: 'changed' }
  /** A person must do it; `why` is one line. */
  | { readonly kind: 'by hand'; readonly why: string };

/** The events of a resource, or the reason why there are none to show. */
export interface FoundEvents {
  readonly events: readonly EventLine[];
  readonly error?: string | undefined;
}

/** Watched resources in a cluster or a folder, and the means to annotate them. */
export interface ConsoleSource {
  readonly mode: 'cluster' | 'folder';
  /** The context and cluster, or the folder. */
  readonly place: string;
  /** The flags that select this place in a command, one word per item. */
  readonly flags: readonly string[];
  /** Returns the options with which `plan` reads this place. */
  readonly planOptions: (namespace: string) => SessionOptions;
  deployments(): readonly DeploymentResource[];
  connections(): readonly ConnectionResource[];
  freshness(): Freshness;
  /** Returns a text that changes with the resource. */
  versionOf(resource: DeploymentResource): string;
  /** Returns the place of its declaration; only for a folder. */
  placeOf?(resource: DeploymentResource): string | undefined;
  events(resource: DeploymentResource, signal: AbortSignal): Promise<FoundEvents>;
  /** Returns the current resource, which may be newer than the picture. */
  now(name: Named, signal: AbortSignal): Promise<DeploymentResource | undefined>;
  /** Sets an annotation if the resource has not changed. */
  annotate(
    resource: DeploymentResource,
    change: AnnotationChange,
    signal: AbortSignal,
  ): Promise<SourceChange>;
  close(): Promise<void>;
}
