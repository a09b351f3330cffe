import type { KnownLabels } from '../model/namespace-selector.ts';

/** The labels of namespaces, by which a ClusterConnection says who may use it. */
export interface NamespaceLabels {
  /** What is known of a namespace now; never waits and never throws. */
  labelsOf(namespace: string): KnownLabels;
}
