/** Facts about a namespace itself. */
export interface Namespaces {
  /** True while the namespace is being deleted: what a resource in it needs may already be gone. Never waits. */
  isTerminating(namespace: string): boolean;
}
