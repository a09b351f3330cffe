import { type Command, Option } from 'commander';
import { addClusterOptions, addNamespaceOptions, collected, type NamespaceFlags } from './options.ts';

/** Flags that choose deployment resources, beside their names. */
export interface SelectionFlags extends NamespaceFlags {
  readonly all?: true;
  readonly selector?: string;
  readonly filename?: readonly string[];
  readonly dir?: string;
  readonly state?: string;
}

/** Adds names, and the flags that choose resources in a cluster or in manifests. */
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
    .option('--dir <folder>', 'the same for one folder, as for "run --dir"')
    .option('--state <file>', 'file with the state of manifests; default: DIR/.dms-operator/state.json');
  return addClusterOptions(command.optionsGroup('How:'));
}
