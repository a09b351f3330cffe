import {
  addAllNamespaces,
  addSessionOptions,
  manifestsOrCluster,
  outputFormat,
  type SessionFlags,
} from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES, STOPPED } from '../program/help.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

const FORMATS = ['text', 'json', 'yaml'] as const;

interface DescribeOptions extends SessionFlags {
  readonly filename?: readonly string[];
  readonly output: (typeof FORMATS)[number];
}

/** `describe`: shows the declaration of one resource, and the observations about it. */
export const describe = cliCommand<DescribeOptions>({
  name: 'describe',
  group: 'Look and ask:',
  help,
  declare: (command) => {
    command
      .description(
        'Show everything about one deployment resource: what it asks for, its state, and what to do next.',
      )
      .argument('<name>', 'name of the resource')
      .addOption(outputFormat(FORMATS, 'how it is printed'));
    command.optionsGroup('Where to look:').addOption(manifestsOrCluster());
    addAllNamespaces(addSessionOptions(command));
  },
  action,
});

async function action(options: DescribeOptions, { terminal, words }: Call): Promise<ExitCode> {
  const { lookOnce } = await import('./look-once.ts');
  const { chosenResource } = await import('../../views/resources/description.ts');
  const { renderDescription } = await import('../render/render-description.ts');
  const [name = ''] = words;
  const resource = await lookOnce(options, terminal, async ({ session, namespaces }) =>
    chosenResource(session.deployments, { name, namespaces }),
  );
  if (resource === undefined) return EXIT.failed;
  const inManifests = options.filename !== undefined;
  terminal.out(renderDescription(resource, options.output, { columns: terminal.columns, inManifests }));
  return EXIT.ok;
}

function help(program: string): CommandHelp {
  return {
    about: [
      'It reads what the controller has found, and does not call the service. It shows no secret values.',
    ],
    exitCodes: {
      0: 'shown, whatever the state of the resource',
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
