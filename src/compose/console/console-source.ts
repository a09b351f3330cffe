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

/** The end of setting an annotation. */
export type SourceChange =
  | { readonly kind: 'done'; readonly where?: string | undefined }
  | { readonly kind: 'forbidden'; readonly missingRight: string }
  /** The resource has another version now. */
  | { readonly kind: 'changed' }
  /** A person must do it; `why` is a line. */
  | { readonly kind: 'by hand'; readonly why: string };

/** Events of a resource, or why there are none to show. */
export interface FoundEvents {
  readonly events: readonly EventLine[];
  readonly error?: string | undefined;
}

/** Resources that are watched, wherever they are, and annotations on them. */
export interface ConsoleSource {
  readonly mode: 'cluster' | 'folder';
  /** Context and cluster, or the folder. */
  readonly place: string;
  /** Flags that lead a command there, word by word. */
  readonly flags: readonly string[];
  /** Returns the options with which `plan` would read it. */
  readonly planOptions: (namespace: string) => SessionOptions;
  deployments(): readonly DeploymentResource[];
  connections(): readonly ConnectionResource[];
  freshness(): Freshness;
  /** A text that changes with the resource. */
  versionOf(resource: DeploymentResource): string;
  /** Returns the place of its declaration; only for a folder. */
  placeOf?(resource: DeploymentResource): string | undefined;
  events(resource: DeploymentResource, signal: AbortSignal): Promise<FoundEvents>;
  /** Returns the current resource, whatever the picture shows. */
  now(name: Named, signal: AbortSignal): Promise<DeploymentResource | undefined>;
  /** Sets an annotation while nothing of the resource has changed. */
  annotate(
    resource: DeploymentResource,
    change: AnnotationChange,
    signal: AbortSignal,
  ): Promise<SourceChange>;
  close(): Promise<void>;
}
