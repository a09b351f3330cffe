import type { Command } from 'commander';
import { type Environment, type Flags, type RunConfig, UsageError } from '../../config.ts';
import { addClusterOptions, addEgressOptions, collected } from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, NO_COLOR, STATE_FILES } from '../program/help.ts';
import { isColoured } from '../terminal/paint.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

/** `run`: runs the controller, in a cluster or on a directory, until it is stopped. */
export const run = cliCommand<Flags>({
  name: 'run',
  group: 'Declare and keep:',
  endsWhenStopped: true,
  help,
  declare: (command) => {
    command.description('Keep deployments as you declare them, in a cluster or in a folder, until stopped.');
    inCluster(command.optionsGroup('In a cluster:'));
    withoutCluster(command.optionsGroup('Without a cluster:'));
    everywhere(command.optionsGroup('Everywhere:'));
    addClusterOptions(command);
  },
  action,
});

async function action(flags: Flags, { terminal, program }: Call): Promise<ExitCode> {
  const config = await configFrom(flags, terminal.environment, program.name());
  const { runOperator } = await import('../../compose/run/run-operator.ts');
  const onTerminal = Number.isFinite(terminal.columns);
  const format = config.logFormat ?? (onTerminal ? 'pretty' : 'json');
  const how = { format, colour: isColoured(terminal) };
  const end = await runOperator(config, how, terminal.untilStopped());
  return end === 'stopped' ? EXIT.ok : terminal.endNow(EXIT.failed);
}

/** Reads the configuration. Adds to errors of values where to read more, as the errors of other flags do. */
async function configFrom(flags: Flags, environment: Environment, program: string): Promise<RunConfig> {
  const { readRunConfig } = await import('../flags/read-config.ts');
  try {
    return readRunConfig(flags, environment);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}; see '${program} run --help'`);
  }
}

function inCluster(command: Command): void {
  command
    .option('--namespace <namespace>', 'watch only this namespace; repeatable; default: all', collected)
    .option(
      '--operator-namespace <namespace>',
      "where Secrets of ClusterConnections are; default: the pod's, else dms-operator",
    )
    .option(
      '--shard-selector <selector>',
      'work only on connections with such labels, and on their deployments; as kubectl -l takes it',
    )
    .option('--leader-elect [bool]', 'elect one replica as leader; the others stand by; default: true')
    .option(
      '--leader-election-namespace <ns>',
      'namespace of the Lease for the election; default: the operator namespace',
    );
}

function withoutCluster(command: Command): void {
  command
    .option('--dir <folder>', 'read manifests from this folder instead, and watch it; repeatable', collected)
    .option(
      '--state <file>',
      'file for the state between runs; default: .dms-operator/state.json in the first folder',
    )
    .option('--secrets-dir <folder>', 'take Secrets from files <secret>/<key> in this folder')
    .option('--prune [bool]', 'delete resources whose manifest is missing, as their deletionPolicy says')
    .option('--prune-many [bool]', 'even if more than ten, or more than half of them, are missing at once')
    .option(
      '--prune-after <time>',
      'how long a manifest must be missing before that, such as 2m; default: 30s',
    );
}

function everywhere(command: Command): void {
  command.option('--dry-run [bool]', 'plan, write status and metrics, but change nothing at the service');
  addEgressOptions(command)
    .option('--workers <count>', 'number of resources to reconcile at once; default: 64')
    .option(
      '--metrics-address <host:port>',
      'where /metrics, /healthz and /readyz are; 0 turns it off; default: :8080',
    )
    .option('--log-level <level>', 'debug, info, warn or error; default: info')
    .option('--log-format <format>', 'json or pretty; default: pretty on a terminal, else json');
}

function help(program: string): CommandHelp {
  return {
    about: [
      'SIGTERM and Ctrl-C end it: calls under way get 35 seconds, status is written and the Lease is given back. A replica that lost its Lease ends at once.',
    ],
    exitCodes: {
      0: 'stopped by SIGTERM or Ctrl-C',
      1: 'something is wrong, or the Lease was lost',
    },
    variables: [NO_COLOR],
    files: STATE_FILES,
    examples: [
      [`${program} run --namespace team-a --namespace team-b`, 'two namespaces of the current context'],
      [`${program} run --dir manifests/ --secrets-dir /run/secrets`, 'a folder, Secrets from mounted files'],
      [`${program} run --dry-run --log-format pretty`, 'only say what would be done'],
    ],
  };
}
