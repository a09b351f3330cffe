import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { readRunConfig } from '../../../src/cli/flags/read-config.ts';
import type { Flags, RunConfig } from '../../../src/config.ts';

/**
 * Returns the settings of the controller from the arguments of its container. Throws UsageError if it would refuse
 * them.
 */
export function runConfigOf(args: readonly string[]): RunConfig {
  const given = parseArguments(args, { program: 'dms-operator', version: '0.0.0', columns: 80 });
  if (given.kind !== 'command' || given.name !== 'run') throw new Error(`not run: ${args.join(' ')}`);
  return readRunConfig(given.options as Flags, {});
}
