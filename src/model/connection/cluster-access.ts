/** The cluster and the user, with the meaning of kubectl's flags of the same names. Every member may be absent. */
export interface ClusterAccess {
  /** The kubeconfig file. Absent: the one that kubectl would use, else the cluster in which the process runs. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The cluster and user entries of the kubeconfig, in place of those of the context. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  /** The address of the API server, in place of that of the cluster. */
  readonly server?: string | undefined;
  /** The files of certificates and keys, in place of those in the kubeconfig. */
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly insecureSkipTLSVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  /** The token, a secret, which is sent only in a header. */
  readonly token?: string | undefined;
  /** The impersonated user and groups. */
  readonly as?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  /** The time limit of each exchange, in place of the built-in ones; Infinity for none. */
  readonly requestTimeoutMs?: number | undefined;
}
