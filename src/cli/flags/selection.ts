import type { Command } from 'commander';
import { Option } from 'commander';
import type { Deployments, Selection } from '../../compose/session/deployments.ts';
import { type Flags, readClusterAccess, UsageError } from '../../config.ts';
import { parseLabelSelector } from '../../model/connection/label-selector.ts';
import { addClusterOptions, addNamespaceOptions, collected, type NamespaceFlags } from './options.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Flags that say which deployment resources are meant, beside their names. */
export interface SelectionFlags extends NamespaceFlags {
  readonly all?: true;
  readonly selector?: string;
  readonly filename?: readonly string[];
  readonly dir?: string;
  readonly state?: string;
}

/** Names, and the flags by which resources are chosen, in a cluster or in manifests. */
export function addSelectionOptions(command: Command): Command {
  command.argument('[names...]', 'names of deployment resources, also as -o name prints them');
  addNamespaceOptions(command.optionsGroup('Which resources:'))
    .option('--all', 'all of the namespace')
    .option('-l, --selector <selector>', 'those with such labels, for example tier=gold,team!=b')
    .addOption(
      new Option(
        '-f, --filename <path>',
        'those of manifests: a file, a folder, or - for standard input; repeatable',
      ).argParser(collected),
    )
    .option('--dir <folder>', 'the same for one folder, as of "run --dir"')
    .option('--state <file>', 'what is remembered of manifests; default: DIR/.dms-operator/state.json');
  return addClusterOptions(command.optionsGroup('How:'));
}

/** Translates names and flags into a selection; `all` says whether none of them means everything. Throws UsageError. */
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

/** `deployment.dms-operator.dev/agent`, as `-o name` prints it, is `agent`. */
function bareName(word: string): string {
  const name = word.replace(/^(?:deployments?|dmsd)(?:\.dms-operator\.dev)?\//, '');
  if (name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name)) return name;
  throw new UsageError(`${JSON.stringify(word)} is not the name of a resource`);
}

/** Opens what flags name: manifests where there are any, else the cluster. */
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
  // The Kubernetes client is large; a look at a folder does without it.
  const { clusterDeployments } = await import('../../compose/session/cluster-deployments.ts');
  return clusterDeployments(access);
}
