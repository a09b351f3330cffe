import { outputFormat } from '../flags/options.ts';
import { addSelectionOptions, type SelectionFlags } from '../flags/selection-flags.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES, STOPPED } from '../program/help.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

const FORMATS = ['text', 'wide', 'json', 'yaml', 'name'] as const;

interface StatusOptions extends SelectionFlags {
  readonly output: (typeof FORMATS)[number];
}

/** `status`: prints the state of deployment resources that the controller last recorded. */
export const status = cliCommand<StatusOptions>({
  name: 'status',
  group: 'Look and ask:',
  help,
  declare: (command) => {
    addSelectionOptions(
      command.description('Show the state of deployment resources, as the controller last recorded it.'),
    ).addOption(outputFormat(FORMATS, 'how it is printed'));
  },
  action,
});

async function action(options: StatusOptions, { terminal, words }: Call): Promise<ExitCode> {
  const { nothingIn, openDeployments, readSelection } = await import('../flags/selection.ts');
  const selection = readSelection(words, options, { orAll: true });
  const { renderStatus } = await import('../render/render-status.ts');
  const { printErrors } = await import('../terminal/print-errors.ts');
  const signal = terminal.untilStopped();
  const deployments = await openDeployments(options, terminal, signal);
  try {
    const found = await deployments.find(selection, signal);
    const about = {
      columns: terminal.columns,
      namespace: selection.namespace,
      nowMs: deployments.clock.now(),
    };
    terminal.out(renderStatus(found, options.output, about));
    const code = printErrors(deployments.problems, terminal);
    if (found.length === 0 && code === EXIT.ok) terminal.err(`${nothingIn(selection, deployments)}\n`);
    return code;
  } finally {
    await deployments.close();
  }
}

function help(program: string): CommandHelp {
  return {
    exitCodes: {
      0: 'shown, whatever the state of the resources',
      1: 'something is wrong, or manifests have errors',
      ...STOPPED,
    },
    files: STATE_FILES,
    examples: [
      [`${program} status`, 'those of the namespace of the context'],
      [`${program} status -A -o wide`, 'those of all namespaces, with ids and messages'],
      [`${program} status agent -n team-a -o json`, 'one, for scripts'],
      [`${program} status --dir manifests/`, 'without a cluster: from the state file'],
    ],
  };
}
