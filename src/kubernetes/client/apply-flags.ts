import type { KubeConfig } from '@kubernetes/client-node';
import { defined } from '../../base/defined.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import { statSync } from 'node:fs';
import { ExpectedError } from '../../base/expected-error.ts';
import { textForPeople } from '../../base/text-for-people.ts';

type Context = KubeConfig['contexts'][number];
type Cluster = KubeConfig['clusters'][number];
type User = KubeConfig['users'][number];

/**
 * The name for a context, cluster or user that only flags define: if the flags are complete, no kubeconfig is
 * necessary.
 */
export const MADE_OF_FLAGS = 'flags';

/**
 * Replaces parts of the current context by the values of flags, as kubectl does. Throws an ExpectedError for names that
 * are not in the kubeconfig.
 */
export function applyFlags(config: KubeConfig, access: ClusterAccess): void {
  if (!saysAnything(access)) return;
  const name = currentName(config);
  const context = config.getContextObject(name) ?? undefined;
  // The code that looks up a context reports a missing one.
  if (context === undefined && (access.context !== undefined || !namesCluster(access))) return;
  const cluster = known('cluster', access.cluster, config.getClusters()) ?? context?.cluster ?? MADE_OF_FLAGS;
  const user = known('user', access.user, config.getUsers()) ?? context?.user ?? MADE_OF_FLAGS;
  config.contexts = replaced<Context>(config.getContexts(), { ...context, name, cluster, user });
  const changed = clusterWith(config.getCluster(cluster) ?? undefined, cluster, access);
  if (changed !== undefined) config.clusters = replaced<Cluster>(config.getClusters(), changed);
  const userBefore = config.getUser(user) ?? { name: user };
  config.users = replaced<User>(config.getUsers(), userWith(userBefore, access));
  config.setCurrentContext(name);
}

/** Returns the headers that flags ask for, besides those of the user: client-node does not support groups. */
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

/** Returns the name that a flag gives. Throws if there is no entry of that name. */
function known(
  what: string,
  asked: string | undefined,
  entries: readonly { readonly name: string }[],
): string | undefined {
  const names = entries.map(({ name }) => name);
  if (asked === undefined || names.includes(asked)) return asked;
  const list = names.length === 0 ? 'none' : names.join(', ');
  throw badKubeConfig(`${what} "${asked}" does not exist; known: ${list}`);
}

/** Returns undefined if neither the kubeconfig nor a flag contains an address. */
function clusterWith(known: Cluster | undefined, name: string, access: ClusterAccess): Cluster | undefined {
  const { server, tlsServerName, certificateAuthority, insecureSkipTLSVerify } = access;
  const address = server ?? known?.server;
  if (address === undefined) return undefined;
  const { caData, caFile, tlsServerName: knownName, skipTLSVerify = false, ...rest } = known ?? { name };
  // One flag about trust replaces all settings of the file about it.
  const saysTrust = insecureSkipTLSVerify !== undefined || certificateAuthority !== undefined;
  const trust = saysTrust
    ? { skipTLSVerify: insecureSkipTLSVerify ?? false, ...defined({ caFile: certificateAuthority }) }
    : { skipTLSVerify, ...defined({ caFile, caData }) };
  // The name in the file belongs to the server in the file.
  const serverName = tlsServerName ?? (server === undefined ? knownName : undefined);
  return { ...rest, ...trust, ...defined({ tlsServerName: serverName }), server: address };
}

/** Credentials other than a certificate. A token given by flag must keep a plug-in from asking the user to log in. */
const OTHER_PROOFS: readonly string[] = ['exec', 'authProvider', 'username', 'password'];

function userWith(known: User, { token, as, clientCertificate, clientKey }: ClusterAccess): User {
  const over = defined({ token, certFile: clientCertificate, keyFile: clientKey, impersonateUser: as });
  const kept = Object.entries(known).filter(([name]) => token === undefined || !OTHER_PROOFS.includes(name));
  return { ...Object.fromEntries(kept), name: known.name, ...over };
}

function replaced<T extends { readonly name: string }>(all: readonly T[], one: T): T[] {
  return [...all.filter(({ name }) => name !== one.name), one];
}

/** The largest kubeconfig, in bytes. One with certificates of a thousand clusters is much smaller. */
const MAX_BYTES = 8 * 1024 * 1024;

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'this is a folder',
  EACCES: 'this user may not read the file',
  EFBIG: 'the file is too large, more than 8 MiB',
};

/** Throws if a file is too large to be a kubeconfig, before reading it. */
export function refuseLargeFile(path: string): void {
  if (statSync(path).size <= MAX_BYTES) return;
  throw Object.assign(new Error('the file is too large'), { code: 'EFBIG', path });
}

/** Describes the fault of a kubeconfig in one line; names in it may have any length. */
export function badKubeConfig(problem: string, options?: ErrorOptions): ExpectedError {
  return new ExpectedError(`kubeconfig: ${textForPeople(problem)}`, options);
}

/**
 * Throws if a value of the current context or its cluster is not a text: YAML reads `namespace: 2026` as a number, and
 * client-node does not check the values of a file.
 */
export function refuseOtherThanTexts(config: KubeConfig): void {
  const name = config.getCurrentContext();
  const { server, proxyUrl = '' } = config.getCurrentCluster() ?? {};
  const { namespace = '' } = config.getContextObject(name) ?? {};
  for (const [what, value] of Object.entries({ name, server, 'proxy-url': proxyUrl, namespace })) {
    if (typeof value === 'string') continue;
    throw badKubeConfig(`the ${what} of the current context is no text; put it in quotes`);
  }
}

/**
 * Makes an error that says why a kubeconfig cannot be read, and what to do. Unlike the parser it repeats no line of the
 * file, since a line may contain a token. `file` is the requested file, if there was one.
 */
export function kubeConfigError(error: unknown, file: string | undefined): ExpectedError {
  return badKubeConfig(reasonOf(error, file), { cause: error });
}

function reasonOf(error: unknown, file: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path = file ?? '', mark } = error as ReadError;
  const unreadable = UNREADABLE[code ?? ''];
  if (unreadable !== undefined) {
    return `${unreadable}: ${path}; name another with --kubeconfig or KUBECONFIG`;
  }
  if (mark === undefined) return error.message;
  const place = [file, mark.line + 1, mark.column + 1].filter((part) => part !== undefined).join(':');
  return `${place}: this is not well-formed YAML; look for tabs, quotes and keys that stand twice`;
}

/** The members that errors of the file system and of the parser have besides their message. */
interface ReadError extends Error {
  readonly code?: string;
  readonly path?: string;
  /** The position, counted from 0. */
  readonly mark?: { readonly line: number; readonly column: number };
}
