import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Flags, UsageError } from '../config.ts';
import { EXAMPLES, PROGRAM_HELP } from './help.ts';

/** Formats of `validate`. */
export const VALIDATE_FORMATS = ['text', 'json', 'github'] as const;

/** What `validate` was asked to do. */
export interface ValidateOptions {
  readonly paths: readonly string[];
  readonly output: (typeof VALIDATE_FORMATS)[number];
}

/** What `simulate` was asked to do. */
export interface SimulateOptions {
  readonly host: string;
  readonly port: number;
  readonly seed?: string;
  readonly semantics?: string;
  readonly rolloutSeconds?: number;
}

/** What `demo` was asked to do. */
export interface DemoOptions {
  readonly semantics?: string;
}

/** A command line that was understood. */
export type Invocation =
  /** Text that was asked for with --help or --version. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'run'; readonly flags: Flags }
  | { readonly kind: 'demo'; readonly options: DemoOptions }
  | { readonly kind: 'simulate'; readonly options: SimulateOptions }
  | { readonly kind: 'validate'; readonly options: ValidateOptions }
  | { readonly kind: 'crds' };

/** Where the simulated service listens unless told; the manifests of the examples name it. */
const SIMULATOR_PORT = 7070;

/**
 * Reads the words after the program's name. Throws a UsageError whose message is one line that names the word, what is
 * wrong with it and where to read on.
 */
export function parseArguments(
  words: readonly string[],
  about: { program: string; version: string; columns: number },
): Invocation {
  let understood: Invocation | undefined;
  let text = '';
  const program = new Command(about.program)
    .description(PROGRAM_HELP)
    .version(about.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help of a command')
    .addHelpText('after', EXAMPLES.program(about.program))
    .configureOutput({
      writeOut: (more) => (text += more),
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(about.columns, 100),
      getOutHasColors: () => false,
    })
    .exitOverride();
  addCommands(program, about.program, (invocation) => (understood = invocation));
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'text', text: `${text.trimEnd()}\n` };
    throw new UsageError(usageText(error, words, program, about.program));
  }
  if (understood === undefined) throw new UsageError(missingCommand(about.program));
  return understood;
}

function addCommands(program: Command, name: string, understood: (invocation: Invocation) => void): void {
  addRun(program.command('run'), name).action((flags: Flags) => understood({ kind: 'run', flags }));

  program
    .command('demo')
    .description(
      'Show the main job on embedded parts: a simulated service, the controller, and drift that is corrected.',
    )
    .option(
      '--semantics <words>',
      'how the service behaves where the specification is silent; "simulate --semantics list" prints the words',
    )
    .addHelpText('after', EXAMPLES.demo(name))
    .action((options: DemoOptions) => understood({ kind: 'demo', options }));

  program
    .command('validate')
    .description('Check manifests without asking anybody: schema, rules, and warnings per kind of source.')
    .addOption(
      new Option(
        '-f, --filename <path...>',
        'files, folders (with all below them), or - for standard input',
      ).makeOptionMandatory(),
    )
    .addOption(
      new Option('-o, --output <format>', 'how problems are printed')
        .choices(VALIDATE_FORMATS)
        .default('text'),
    )
    .addHelpText('after', EXAMPLES.validate(name))
    .action(({ filename, output }: { filename: string[]; output: ValidateOptions['output'] }) =>
      understood({ kind: 'validate', options: { paths: filename, output } }),
    );

  program
    .command('crds')
    .description('Print the CustomResourceDefinitions.')
    .addHelpText('after', EXAMPLES.crds(name))
    .action(() => understood({ kind: 'crds' }));

  program
    .command('simulate')
    .description('Serve a simulated Deployment Management Service, for trying things out and for tests.')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 for any free one')
        .argParser(port)
        .default(SIMULATOR_PORT),
    )
    .option('--seed <file>', 'YAML or JSON file with what the service starts with')
    .option(
      '--semantics <words>',
      'how it behaves where the specification is silent; "list" prints the words',
    )
    .addOption(
      new Option('--rollout-seconds <seconds>', 'how long a new revision takes to become active').argParser(
        seconds,
      ),
    )
    .addHelpText('after', EXAMPLES.simulate(name))
    .action((options: SimulateOptions) => understood({ kind: 'simulate', options }));
}

function addRun(run: Command, name: string): Command {
  return run
    .description('Keep deployments equal to what is declared, in a cluster or in a folder, until stopped.')
    .optionsGroup('In a cluster:')
    .option(
      '--kubeconfig <file>',
      'default: KUBECONFIG, the file in the home folder, the cluster this runs in',
    )
    .option('--context <name>', 'context of the kubeconfig; default: the current one')
    .option('--namespace <namespace>', 'watch only this namespace; repeatable; default: all', collected)
    .option(
      '--operator-namespace <namespace>',
      "where Secrets of ClusterConnections are; default: the pod's, else dms-operator",
    )
    .option(
      '--shard-selector <selector>',
      'work only on connections with such labels, and on their deployments; as kubectl -l takes it',
    )
    .option('--leader-elect [bool]', 'of several replicas one works and the others stand by; default: true')
    .option(
      '--leader-election-namespace <ns>',
      'where the Lease is by which they agree; default: the operator namespace',
    )
    .optionsGroup('Without a cluster:')
    .option('--dir <folder>', 'read manifests from this folder instead, and watch it')
    .option('--state <file>', 'what is remembered between runs; default: DIR/.dms-operator/state.json')
    .option('--secrets-dir <folder>', 'take Secrets from files <secret>/<key> in this folder')
    .option('--prune [bool]', 'delete resources whose manifest is gone, as their deletionPolicy says')
    .optionsGroup('Everywhere:')
    .option('--dry-run [bool]', 'plan, write status and metrics, but change nothing at the service')
    .option(
      '--allow-hosts <hosts>',
      'hosts that connections may name, such as *.example.com,api.example.org:8443; repeatable',
      collected,
    )
    .option('--workers <count>', 'resources worked on at once; default: 64')
    .option(
      '--metrics-address <host:port>',
      'where /metrics, /healthz and /readyz are; 0 turns it off; default: :8080',
    )
    .option('--log-level <level>', 'debug, info, warn or error; default: info')
    .option('--log-format <format>', 'json or pretty; default: pretty on a terminal, else json')
    .addHelpText('after', EXAMPLES.run(name));
}

function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('Expected a number from 0 to 65535.');
}

function seconds(text: string): number {
  if (/^\d{1,6}(?:\.\d{1,3})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number of seconds.');
}

/** Commander's message on one line, with the way to read on. */
function usageText(error: CommanderError, words: readonly string[], program: Command, name: string): string {
  const command = program.commands.find((candidate) => candidate.name() === words[0]);
  const help = `${[name, ...(command === undefined ? [] : [command.name()])].join(' ')} --help`;
  if (error.code === 'commander.help') return missingCommand(name);
  const text = error.message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  return `${text}; see '${help}'`;
}

function missingCommand(name: string): string {
  return `a command is missing; see '${name} --help'`;
}
