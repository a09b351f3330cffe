import type { Deployments, Selection } from '../../compose/session/deployments.ts';
import { type Flags, UsageError } from '../../config.ts';
import { parseLabelSelector } from '../../model/connection/parse-label-selector.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readClusterAccess } from './read-config.ts';
import type { SelectionFlags } from './selection-flags.ts';

/**
 * Translates names and flags into a selection; `all` says whether an empty selection means everything. Throws
 * UsageError.
 */
export function readSelection(
  words: readonly string[],
  { namespace, allNamespaces, all, selector }: SelectionFlags,
  { orAll }: { readonly orAll: boolean },
): Selection {
  const scope = allNamespaces === true ? '' : namespace;
  const names = [...new Set(words.map(bareName))];
  if (names.length > 0) {
    if (all === true) throw new UsageError('--all: does not go together with names');
    if (selector !== undefined) throw new UsageError('--selector: does not go together with names');
    if (scope === '')
      throw new UsageError('--all-namespaces: does not go together with names; say --namespace');
    return { kind: 'names', namespace: scope, names };
  }
  if (!orAll && all !== true && selector === undefined) {
    throw new UsageError('which deployments? give names, --selector or --all');
  }
  if (selector !== undefined && parseLabelSelector(selector) === undefined) {
    const example = 'a label selector such as tier=gold or team in (a,b)';
    throw new UsageError(`--selector: ${JSON.stringify(selector)} is not ${example}`);
  }
  return { kind: 'every', namespace: scope, labels: selector };
}

/** Returns kubectl's message that nothing was found, with the namespace if only one was read. */
export function nothingIn(
  selection: Pick<Selection, 'namespace'>,
  work: Pick<Deployments, 'namespace'>,
): string {
  const namespace = selection.namespace ?? work.namespace;
  const where = namespace === undefined || namespace === '' ? 'here' : `in namespace ${namespace}`;
  return `no deployments.dms-operator.dev ${where}`;
}

/** Returns the name without its kind: `agent` for `deployment.dms-operator.dev/agent`, which `-o name` prints. */
function bareName(word: string): string {
  const name = word.replace(/^(?:deployments?|dmsd)(?:\.dms-operator\.dev)?\//, '');
  if (name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name)) return name;
  throw new UsageError(`${JSON.stringify(word)} is not the name of a resource`);
}

/** Opens the manifests that flags name, if any, else the cluster. */
export async function openDeployments(
  flags: SelectionFlags & object,
  { readStdin }: Terminal,
  signal: AbortSignal,
): Promise<Deployments> {
  const { filename = [], dir, state } = flags;
  const paths = [...(dir === undefined ? [] : [dir]), ...filename];
  if (paths.length > 0) {
    const { manifestDeployments } = await import('../../compose/session/manifest-deployments.ts');
    return manifestDeployments({ paths, state }, readStdin, signal);
  }
  if (state !== undefined) throw new UsageError('--state: works only together with --dir or --filename');
  const access = readClusterAccess(flags as Flags);
  // The Kubernetes client is large, and reading a folder does not need it.
  const { clusterDeployments } = await import('../../compose/session/cluster-deployments.ts');
  return clusterDeployments(access);
}
