import type { Session, SessionOptions } from '../../compose/session/session.ts';
import { type Environment, UsageError } from '../../config.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import type { SessionFlags } from './options.ts';
import { readClusterAccess, readEgress } from './read-config.ts';

/**
 * Turns flags into the options of a session. The session uses a cluster if a flag names one or if there are no
 * manifests; otherwise it uses one by default unless a flag excludes it.
 */
export function sessionOptions(
  flags: SessionFlags,
  paths: readonly string[],
  { environment, clusterByDefault = false }: { environment: Environment; clusterByDefault?: boolean },
): SessionOptions {
  const { state, secretsDir, namespace, operatorNamespace } = flags;
  const access = readClusterAccess({ ...flags });
  const named = namesCluster(access, [namespace, operatorNamespace]) || paths.length === 0;
  const asked = named || (clusterByDefault && state === undefined && secretsDir === undefined);
  const cluster = { ...access, operatorNamespace, namespaces: split(namespace) };
  return {
    paths,
    state,
    secretsDir,
    egress: readEgress({ ...flags }, environment),
    ...(asked ? { cluster } : {}),
  };
}

/** Returns the options of a command whose `-n` also chooses among manifests, if it names no cluster itself. */
export function lookOptions(
  flags: SessionFlags & { readonly filename?: readonly string[] },
  environment: Environment,
): SessionOptions {
  const { filename = [], namespace: _, ...others } = flags;
  const named = namesCluster(readClusterAccess({ ...others }), [others.operatorNamespace]);
  return sessionOptions(named || filename.length === 0 ? flags : others, filename, { environment });
}

/** Returns the namespaces to read. Default for a cluster: the namespace of the context, as with kubectl. Empty: all. */
export function namespacesOf(
  { namespace, allNamespaces }: SessionFlags,
  { contextNamespace }: Pick<Session, 'contextNamespace'>,
): readonly string[] {
  const named = split(namespace);
  if (allNamespaces === true && named.length > 0) {
    throw new UsageError('--all-namespaces: does not go together with --namespace; leave out one of them');
  }
  if (named.length > 0 || allNamespaces === true || contextNamespace === undefined) return named;
  return [contextNamespace];
}

function namesCluster(access: ClusterAccess, beside: readonly unknown[]): boolean {
  const { asGroups = [], ...single } = access;
  return asGroups.length > 0 || [...Object.values(single), ...beside].some((value) => value !== undefined);
}

/** Returns the values of a flag that may be repeated and contain a list each time. */
export function split(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.split(',')).flatMap((text) => text.trim() || []);
}
