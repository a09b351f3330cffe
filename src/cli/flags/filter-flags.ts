import { type Command, InvalidArgumentError } from 'commander';
import type { DeploymentFilter } from '../../views/resources/deployment-filter.ts';
import { kindOfSource } from './options.ts';

/** Flags that choose deployments of the service. */
export interface FilterFlags extends DeploymentFilter {
  /** The query parameters by name. */
  readonly parameter?: Readonly<Record<string, string>>;
}

/** The text of the help below these flags. */
export const FILTER_HELP =
  'Filters compare fields that the service shows. It does not show the type of a deployment (dev_free, dev, prod), its tags, and whether it is reconciled remotely, and does not document the parameters for these. If you know such a parameter, give --parameter NAME=VALUE, and the service filters.';

/** Adds flags that choose deployments by their shown values, or by the service's own filters (4.3). */
export function addFilterOptions(command: Command): Command {
  return command
    .optionsGroup('Which deployments:')
    .option('--name <name...>', 'with this exact name; * matches any text')
    .option('--id <id...>', 'of this id')
    .addOption(kindOfSource('--source <source>', 'of this kind of source'))
    .option('--status <status>', 'in this state, such as READY')
    .option('--image-version <version>', 'of this image version')
    .option('--parameter <name=value>', 'query parameter for the list of the service; repeatable', parameter);
}

/** Collects NAME=VALUE by name. Throws an error for the command line. */
function parameter(
  text: string,
  before: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const [, name, value = ''] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Expected NAME=VALUE.');
  return { ...before, [name]: value };
}
