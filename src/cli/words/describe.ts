import { cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES, STOPPED } from '../program/help.ts';
import {
  addAllNamespaces,
  addSessionOptions,
  manifestsOrCluster,
  outputFormat,
  type SessionFlags,
} from '../flags/options.ts';

/** Formats of `describe`. */
export const DESCRIBE_FORMATS = ['text', 'json', 'yaml'] as const;

/** The options of `describe`. */
export interface DescribeOptions extends SessionFlags {
  readonly filename?: readonly string[];
  readonly output: (typeof DESCRIBE_FORMATS)[number];
}

/** The words of `describe`. */
export const describe = cliCommand<DescribeOptions>({
  name: 'describe',
  group: 'Look and ask:',
  help,
  declare: (command) => {
    command
      .description(
        'Tell everything about one deployment resource: what it asks for, what is, and what to do next.',
      )
      .argument('<name>', 'name of the resource')
      .addOption(outputFormat(DESCRIBE_FORMATS, 'how it is printed'));
    command.optionsGroup('Where to look:').addOption(manifestsOrCluster());
    addAllNamespaces(addSessionOptions(command));
  },
  carryOut: async (options, terminal, words) => {
    const { describeCommand } = await import('../commands/describe.ts');
    return describeCommand(words[0] ?? '', options, terminal);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      'It reads what the controller has found; the service is not asked. Values of secrets are not shown.',
    ],
    exitCodes: {
      0: 'told, however the resource is',
      1: 'something is wrong, or there is no such resource',
      ...STOPPED,
    },
    files: STATE_FILES,
    examples: [
      [`${program} describe support-agent -n team-a`, 'in the cluster'],
      [`${program} describe support-agent -f manifests/`, 'in a folder, with the state beside it'],
      [`${program} describe support-agent -f manifests/ -o json`, 'for scripts'],
    ],
  };
}
