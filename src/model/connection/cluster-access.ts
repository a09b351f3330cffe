/** Which cluster, and as whom it is asked: what kubectl's flags of the same names say. Everything may be absent. */
export interface ClusterAccess {
  /** Absent: as kubectl finds it, else the cluster the process runs in. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Entries of the kubeconfig, in place of those of the context. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  /** Address of the API server, instead of that of the cluster. */
  readonly server?: string | undefined;
  /** Files, in place of those in the kubeconfig. */
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly insecureSkipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  /** A secret: it goes into a header and nowhere else. */
  readonly token?: string | undefined;
  /** The impersonated user and groups. */
  readonly as?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  /** The limit of each exchange, in place of the built-in deadlines; Infinity for none. */
  readonly requestTimeoutMs?: number | undefined;
}
