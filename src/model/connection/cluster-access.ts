/** Which cluster, and as whom it is asked: what kubectl's flags of the same names say. Everything may be absent. */
export interface ClusterAccess {
  /** Absent: as kubectl finds it, else the cluster the process runs in. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Names of entries of the kubeconfig, instead of those that the context names. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  /** Address of the API server, instead of that of the cluster. */
  readonly server?: string | undefined;
  /** Files, in place of what the kubeconfig says. */
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly insecureSkipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  /** A secret: it goes into a header and nowhere else. */
  readonly token?: string | undefined;
  /** Who is impersonated. */
  readonly as?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  /** For each exchange, instead of the deadlines that are built in; Infinity for none. */
  readonly requestTimeoutMs?: number | undefined;
}
