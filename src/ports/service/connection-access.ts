/** Who may use a ClusterConnection. */
export interface ConnectionAccess {
  /** True when the ClusterConnection of this name, as it stands now, selects the namespace. Never waits or throws. */
  selects(clusterConnection: string, namespace: string): boolean;
}
