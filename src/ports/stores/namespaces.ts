/** Provides facts about namespaces. */
export interface Namespaces {
  /**
   * True while the namespace is being deleted, so that dependencies of its resources may no longer exist. Never waits.
   */
  isTerminating(namespace: string): boolean;
}
