import type { SessionOptions } from '../compose/session.ts';
import type { SessionFlags } from './options.ts';

/** What flags mean for a session. A cluster is asked where a flag names it, or where there are no manifests. */
export function sessionOptions(flags: SessionFlags, paths: readonly string[]): SessionOptions {
  const { state, secretsDir, kubeconfig, context, namespace, operatorNamespace, allowHosts } = flags;
  const named = [kubeconfig, context, namespace, operatorNamespace].some((flag) => flag !== undefined);
  const cluster = { kubeconfig, context, operatorNamespace, namespaces: split(namespace) };
  const asked = named || paths.length === 0;
  return { paths, state, secretsDir, allowHosts: split(allowHosts), ...(asked ? { cluster } : {}) };
}

/** The same for a command whose `-n` chooses among manifests too, where it names no cluster by itself. */
export function lookOptions(flags: SessionFlags & { readonly filename?: readonly string[] }): SessionOptions {
  const { filename = [], namespace: _, ...others } = flags;
  const { kubeconfig, context, operatorNamespace } = others;
  const named = [kubeconfig, context, operatorNamespace].some((flag) => flag !== undefined);
  return sessionOptions(named || filename.length === 0 ? flags : others, filename);
}

/** The values of a flag that may be repeated and each time hold a list. */
export function split(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.split(',')).flatMap((text) => text.trim() || []);
}
