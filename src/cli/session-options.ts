import type { SessionOptions } from '../compose/session.ts';
import { readClusterAccess } from '../config.ts';
import type { ClusterAccess } from '../model/cluster-access.ts';
import type { SessionFlags } from './options.ts';

/** What flags mean for a session. A cluster is asked where a flag names it, or where there are no manifests. */
export function sessionOptions(flags: SessionFlags, paths: readonly string[]): SessionOptions {
  const { state, secretsDir, namespace, operatorNamespace, allowHosts } = flags;
  const access = readClusterAccess({ ...flags });
  const asked = namesCluster(access, [namespace, operatorNamespace]) || paths.length === 0;
  const cluster = { ...access, operatorNamespace, namespaces: split(namespace) };
  return { paths, state, secretsDir, allowHosts: split(allowHosts), ...(asked ? { cluster } : {}) };
}

/** The same for a command whose `-n` chooses among manifests too, where it names no cluster by itself. */
export function lookOptions(flags: SessionFlags & { readonly filename?: readonly string[] }): SessionOptions {
  const { filename = [], namespace: _, ...others } = flags;
  const named = namesCluster(readClusterAccess({ ...others }), [others.operatorNamespace]);
  return sessionOptions(named || filename.length === 0 ? flags : others, filename);
}

function namesCluster(access: ClusterAccess, beside: readonly unknown[]): boolean {
  const { asGroups = [], ...single } = access;
  return asGroups.length > 0 || [...Object.values(single), ...beside].some((value) => value !== undefined);
}

/** The values of a flag that may be repeated and each time hold a list. */
export function split(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.split(',')).flatMap((text) => text.trim() || []);
}
