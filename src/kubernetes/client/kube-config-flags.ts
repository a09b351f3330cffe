import type { KubeConfig } from '@kubernetes/client-node';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import { badKubeConfig } from './kube-config-error.ts';

type Context = KubeConfig['contexts'][number];
type Cluster = KubeConfig['clusters'][number];
type User = KubeConfig['users'][number];

/** The name of what flags alone make: a kubeconfig need not exist where they say everything. */
export const MADE_OF_FLAGS = 'flags';

/**
 * Puts what flags say over the current context, as kubectl does. Throws an ExpectedError for names that are not in the
 * kubeconfig.
 */
export function applyFlags(config: KubeConfig, access: ClusterAccess): void {
  if (!saysAnything(access)) return;
  const name = currentName(config);
  const context = config.getContextObject(name) ?? undefined;
  // The code that looks a context up reports one that does not exist.
  if (context === undefined && (access.context !== undefined || !namesCluster(access))) return;
  const cluster = chosen('cluster', access.cluster, context?.cluster, config.getClusters());
  const user = chosen('user', access.user, context?.user, config.getUsers());
  config.contexts = replaced<Context>(config.getContexts(), { ...context, name, cluster, user });
  const changed = clusterWith(config.getCluster(cluster) ?? undefined, cluster, access);
  if (changed !== undefined) config.clusters = replaced<Cluster>(config.getClusters(), changed);
  const known = config.getUser(user) ?? { name: user };
  config.users = replaced<User>(config.getUsers(), userWith(known, access));
  config.setCurrentContext(name);
}

/** The headers beside those of the user that flags ask for: client-node knows no groups. */
export function headersOfFlags({ asGroups = [] }: ClusterAccess): Readonly<Record<string, string[]>> {
  return asGroups.length === 0 ? {} : { 'Impersonate-Group': [...asGroups] };
}

/** Flags that do not override a context: they choose one, or concern the exchanges. */
const ELSEWHERE: readonly string[] = ['kubeconfig', 'context', 'requestTimeoutMs'];

function saysAnything(access: ClusterAccess): boolean {
  return Object.entries(access).some(([name, value]) => value !== undefined && !ELSEWHERE.includes(name));
}

function currentName(config: KubeConfig): string {
  const name: string | undefined = config.getCurrentContext();
  return name === undefined || name === '' ? MADE_OF_FLAGS : name;
}

function namesCluster({ cluster, server }: ClusterAccess): boolean {
  return cluster !== undefined || server !== undefined;
}

function chosen(
  what: string,
  asked: string | undefined,
  ofContext: string | undefined,
  known: readonly { readonly name: string }[],
): string {
  if (asked === undefined) return ofContext ?? MADE_OF_FLAGS;
  const names = known.map(({ name }) => name);
  if (names.includes(asked)) return asked;
  const list = names.length === 0 ? 'none' : names.join(', ');
  throw badKubeConfig(`${what} "${asked}" does not exist; known: ${list}`);
}

/** Undefined where neither the kubeconfig nor a flag says an address. */
function clusterWith(known: Cluster | undefined, name: string, access: ClusterAccess): Cluster | undefined {
  const { server, tlsServerName, certificateAuthority, insecureSkipTLSVerify } = access;
  const address = server ?? known?.server;
  if (address === undefined) return undefined;
  const { caData, caFile, tlsServerName: knownName, skipTLSVerify = false, ...rest } = known ?? { name };
  // One flag about trust replaces everything that the file says about it.
  const saysTrust = insecureSkipTLSVerify !== undefined || certificateAuthority !== undefined;
  const trust = saysTrust
    ? { skipTLSVerify: insecureSkipTLSVerify ?? false, ...present('caFile', certificateAuthority) }
    : { skipTLSVerify, ...present('caFile', caFile), ...present('caData', caData) };
  // The name in the file is that of the server in the file.
  const serverName = tlsServerName ?? (server === undefined ? knownName : undefined);
  return { ...rest, ...trust, ...present('tlsServerName', serverName), server: address };
}

/** Credentials other than a certificate. A token given by flag must keep a plug-in from asking the user to log in. */
const OTHER_PROOFS: readonly string[] = ['exec', 'authProvider', 'username', 'password'];

function userWith(known: User, { token, as, clientCertificate, clientKey }: ClusterAccess): User {
  const over = {
    ...(token === undefined ? {} : { token }),
    ...(clientCertificate === undefined ? {} : { certFile: clientCertificate }),
    ...(clientKey === undefined ? {} : { keyFile: clientKey }),
    ...present('impersonateUser', as),
  };
  const kept = Object.entries(known).filter(([name]) => token === undefined || !OTHER_PROOFS.includes(name));
  return { ...Object.fromEntries(kept), name: known.name, ...over };
}

function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: Value });
}

function replaced<T extends { readonly name: string }>(all: readonly T[], one: T): T[] {
  return [...all.filter(({ name }) => name !== one.name), one];
}
