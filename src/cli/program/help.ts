import type { Command, Help } from 'commander';
import { variableName } from '../../config.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

/** The purpose of the program, for its help. */
export const PROGRAM_HELP =
  'Keeps deployments of the Deployment Management Service as you declare them in Kubernetes resources, or in a folder of the same manifests.';

/** A word and its meaning, or a command line and its purpose. */
export type Row = readonly [term: string, what: string];

/** The text of help below the options of a command. */
export interface CommandHelp {
  /** The paragraphs; a line break inside a paragraph stays. */
  readonly about?: readonly string[];
  /** The meaning of its exit codes, without the codes that are the same for every command. */
  readonly exitCodes: Readonly<Partial<Record<ExitCode, string>>>;
  /** Environment variables that do not belong to a flag. */
  readonly variables?: readonly Row[];
  readonly files?: readonly Row[];
  readonly examples: readonly Row[];
}

/** The complete help, including the parts that are the same for every command; an empty part has no rows. */
export interface WholeHelp {
  readonly about: readonly string[];
  readonly exitCodes: readonly Row[];
  readonly variables: readonly Row[];
  readonly files: readonly Row[];
  readonly examples: readonly Row[];
}

/** Completes the text below the options of a command with the parts that every command shares. */
export function wholeHelp(command: Command, help: CommandHelp): WholeHelp {
  const { about = [], exitCodes, variables = [], files = [], examples } = help;
  return {
    about,
    exitCodes: Object.entries({ ...exitCodes, ...EVERYWHERE }),
    variables: [...variablesOf(command), ...variables],
    files,
    examples,
  };
}

/** Adds further parts to the help of a command, in the width of the rest. */
export function addHelp(command: Command, help: CommandHelp): void {
  command.addHelpText('after', () => {
    const helper = command.createHelp();
    const helpWidth = command.configureOutput().getOutHelpWidth?.() ?? 80;
    helper.prepareContext({ helpWidth });
    const { about, exitCodes, variables, files, examples } = wholeHelp(command, help);
    const sections = [
      ...about.map((text) => helper.boxWrap(text, helpWidth)),
      section('Exit codes:', exitCodes, helper),
      section('Environment:', variables, helper),
      section('Files:', files, helper),
      `Examples:\n${examplesText(examples, helpWidth)}`,
    ];
    return `\n${sections.filter((text) => text !== '').join('\n\n')}\n`;
  });
}

const EVERYWHERE: CommandHelp['exitCodes'] = { [EXIT.usage]: 'the command line is invalid' };

/** The exit codes of a command that was interrupted. A controller always ends that way. */
export const STOPPED: CommandHelp['exitCodes'] = {
  [EXIT.interrupted]: 'stopped by Ctrl-C before the end',
  [EXIT.terminated]: 'stopped by SIGTERM before the end',
};

/** The placeholder for the environment variable of any flag. */
export const FLAG_VARIABLE = 'DMS_OPERATOR_<FLAG>';

const KUBECONFIG: Row = ['KUBECONFIG', 'kubeconfig files, as with kubectl; --kubeconfig wins'];

/** The row about NO_COLOR, for commands with coloured output. */
export const NO_COLOR: Row = ['NO_COLOR', 'if not empty, no colours'];

/** The rows about files with the remembered state of manifests. */
export const STATE_FILES: readonly Row[] = [
  ['DIR/.dms-operator/state.json', 'state of the manifests in DIR; never the value of a secret'],
  [
    'DIR/.dms-operator/state.json.key',
    'key that recognizes a changed secret; keep it together with the state',
  ],
];

function variablesOf({ options, parent }: Command): readonly Row[] {
  const [example] = options;
  if (example === undefined || parent === null) return [];
  const variable = variableName(example.attributeName());
  return [
    [FLAG_VARIABLE, `for a flag that is not given: ${variable} for ${example.long}; lists with commas`],
    ...(options.some(({ long }) => long === '--kubeconfig') ? [KUBECONFIG] : []),
  ];
}

function section(title: string, rows: readonly Row[], helper: Help): string {
  if (rows.length === 0) return '';
  const width = Math.max(...rows.map(([term]) => term.length));
  return [title, ...rows.map(([term, what]) => helper.formatItem(term, width, what, helper))].join('\n');
}

/** Places examples and descriptions side by side if they fit, otherwise one below the other. */
function examplesText(rows: readonly Row[], columns: number): string {
  const width = Math.max(...rows.map(([words]) => words.length));
  const beside = rows.map(([words, what]) => `  ${words.padEnd(width)}  # ${what}`);
  if (beside.every((line) => line.length <= columns)) return beside.join('\n');
  return rows.map(([words, what]) => `  # ${what}\n  ${words}`).join('\n\n');
}

/** Returns the text of the program's help below its commands. */
export function programHelp(program: string): CommandHelp {
  return {
    about: [
      'Errors in manifests read "file:line:column: path: what is wrong; what is expected".',
      'If the service asks for fewer requests (429), commands that read wait, at most two minutes for one read.',
    ],
    exitCodes: {
      0: 'done',
      1: 'something is wrong; the last line says what',
      2: 'a plan has changes',
      3: 'not finished in time, or somebody has to approve',
      ...STOPPED,
    },
    variables: [
      [FLAG_VARIABLE, 'for a flag that is not given: DMS_OPERATOR_LOG_LEVEL for --log-level'],
      KUBECONFIG,
      NO_COLOR,
    ],
    examples: [
      [`${program} demo`, 'see it work, in ten seconds'],
      [`${program} validate -f manifests/`, 'check manifests, for instance in a pull request'],
      [`${program} plan -f manifests/`, 'see what would be sent, and send nothing'],
      [`${program} apply -f manifests/ --wait`, 'send it, and wait until it serves'],
      [`${program} import -f connection.yaml --all`, 'write manifests for what exists'],
      [`${program} crds | kubectl apply --server-side -f -`, 'make the kinds known to a cluster'],
      [`${program} run`, 'be the controller, in a cluster'],
      [`${program} run --dir manifests/`, 'be the controller, without a cluster'],
    ],
  };
}
