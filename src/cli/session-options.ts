import type { SessionOptions } from '../compose/session.ts';
import type { SessionFlags } from './options.ts';

/** What flags mean for a session. A cluster is asked only where one of the flags about it was given. */
export function sessionOptions(flags: SessionFlags, paths: readonly string[]): SessionOptions {
  const { state, secretsDir, kubeconfig, context, namespace, operatorNamespace, allowHosts } = flags;
  const named = [kubeconfig, context, namespace, operatorNamespace].some((flag) => flag !== undefined);
  const cluster = { kubeconfig, context, operatorNamespace, namespaces: split(namespace) };
  return { paths, state, secretsDir, allowHosts: split(allowHosts), ...(named ? { cluster } : {}) };
}

/** A flag may be repeated, and each time it may hold a list. */
function split(values: readonly string[] = []): readonly string[] {
  return values.flatMap((value) => value.split(',')).flatMap((text) => text.trim() || []);
}
