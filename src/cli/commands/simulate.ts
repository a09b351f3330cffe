import { Option } from 'commander';
import { countText } from '../../base/text-for-people.ts';
import type { semanticsWords } from '../../compose/demo/simulation.ts';
import { port, seconds } from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STOPPED } from '../program/help.ts';
import { aborted } from '../terminal/aborted.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

interface SimulateOptions {
  readonly host: string;
  readonly port: number;
  readonly seed?: string;
  readonly semantics?: string;
  readonly rolloutSeconds?: number;
}

/** The default port of the simulated service; the example manifests use it. */
const SIMULATOR_PORT = 7070;

/** `simulate`: serves a simulated service until it is stopped, or prints its switches. */
export const simulate = cliCommand<SimulateOptions>({
  name: 'simulate',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command
      .description('Serve a simulated Deployment Management Service, for trials and tests.')
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .addOption(
        new Option('--port <port>', 'port to listen on; 0 for any free one')
          .argParser(port)
          .default(SIMULATOR_PORT),
      )
      .option('--seed <file>', 'YAML or JSON file with the initial content of the service')
      .option(
        '--semantics <words>',
        'how it behaves where the specification is silent; "list" prints all switches',
      )
      .addOption(
        new Option('--rollout-seconds <seconds>', 'how long a new revision takes to become active').argParser(
          seconds,
        ),
      );
  },
  action,
});

async function action(options: SimulateOptions, { terminal }: Call): Promise<ExitCode> {
  const simulation = await import('../../compose/demo/simulation.ts');
  if (options.semantics === 'list') {
    terminal.out(await wordList(simulation.semanticsWords(), terminal.columns));
    return EXIT.ok;
  }
  const signal = terminal.untilStopped();
  const service = await simulation.startSimulation(options);
  terminal.out(`simulated service at ${service.url} with ${countText(service.deployments, 'deployment')}\n`);
  terminal.out(`change its behaviour at ${service.controlURL}; Ctrl-C ends it\n`);
  await aborted(signal);
  await service.close();
  return EXIT.ok;
}

/** Returns the full list of groups with their words. */
async function wordList(all: ReturnType<typeof semanticsWords>, columns: number): Promise<string> {
  const { wrapped } = await import('../render/render-table.ts');
  const groups = all.map(
    ({ group, words, about }) => `${group}: ${about}\n${wrapped(words, columns, '    ')}\n`,
  );
  return `Write word, or group:word where a word is in several groups.\n\n${groups.join('')}`;
}

function help(program: string): CommandHelp {
  return {
    about: [
      `A seed contains the fields that the service shows, for example:
  deployments:
  - name: agent
    source: external_container
    source_revision_config: {image_uri: registry.example.com/agent:1}`,
    ],
    exitCodes: { 0: 'the switches are listed', 1: 'something is wrong', ...STOPPED },
    examples: [
      [`${program} simulate`, 'an empty service at http://127.0.0.1:7070'],
      [`${program} simulate --seed seed.yaml --rollout-seconds 5`, 'with deployments, and quick rollouts'],
      [`${program} simulate --semantics replace,secrets:stars`, 'PATCH replaces, secrets are masked'],
      [`${program} simulate --semantics sent-keys,no-commands`, 'answers and lists that show a part'],
      [`${program} simulate --semantics list`, 'every switch for --semantics'],
    ],
  };
}
