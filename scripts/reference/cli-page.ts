import type { Argument, Command, Option } from 'commander';
import { programOf } from '../../src/cli/parse-arguments.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import {
  type CommandHelp,
  FLAG_VARIABLE,
  programHelp,
  type Row,
  wholeHelp,
} from '../../src/cli/program/help.ts';
import { CLUSTER_GROUP } from '../../src/cli/flags/options.ts';
import { variableOf } from '../../src/cli/program/variables.ts';
import { anchor, banner, blocks, code, codeBlock, list, prose } from './markdown.ts';

const PROGRAM = 'dms-operator';
const CLUSTER_HEADING = titleOf(CLUSTER_GROUP);
const HELP_HEADING = 'Options:';

/** The page of the commands: what `--help` says of each, with the variable of each flag. */
export function cliPage(): string {
  const program = programOf(
    { program: PROGRAM, version: '', columns: Infinity },
    { write: () => undefined, understood: () => undefined },
  );
  return blocks(
    banner('src/cli/commands'),
    '# Commands',
    prose(program.description()),
    codeBlock('text', [`${PROGRAM} ${program.usage()}`]),
    list([...program.options.map(flagEntry), `${code('-h, --help')}: of the program, or of a command`]),
    `Each flag can also be given by the variable in brackets behind it, lists with commas; the flag wins.`,
    belowFlags(program, programHelp(PROGRAM)),
    ...groups(program.commands).flatMap(([heading, commands]) => [
      `## ${titleOf(heading)}`,
      ...commands.map((command) => commandSection(command, belowFlags(command, helpOf(command)))),
    ]),
    `## ${CLUSTER_HEADING}`,
    ...clusterFlags(program.commands),
  );
}

function helpOf(command: Command): CommandHelp {
  const found = COMMANDS.find(({ name }) => name === command.name());
  if (found === undefined) throw new Error(`${command.name()} is none of the commands`);
  return found.help(PROGRAM);
}

/** The commands under the headings of the help of the program. */
function groups(commands: readonly Command[]): readonly (readonly [string, readonly Command[]])[] {
  return [...Map.groupBy(commands, (command) => command.helpGroup())];
}

function commandSection(command: Command, below: string): string {
  const flags = flagGroups(command).map(([heading, options]) =>
    heading === CLUSTER_GROUP
      ? `Flags that say [which cluster, and as whom](${anchor(CLUSTER_HEADING)}).`
      : blocks(heading, list(options.map(flagEntry))),
  );
  return blocks(
    `### ${command.name()}`,
    prose(command.description()),
    codeBlock('text', [`${PROGRAM} ${command.name()} ${command.usage()}`]),
    list(command.registeredArguments.map(argumentEntry)),
    ...flags,
    below,
  );
}

function flagGroups(command: Command): readonly (readonly [string, readonly Option[]])[] {
  return [...Map.groupBy(command.options, (option) => option.helpGroupHeading ?? HELP_HEADING)];
}

/** The flags by which a cluster is found, once. Throws where one command has others than the rest. */
function clusterFlags(commands: readonly Command[]): readonly string[] {
  const lists = commands
    .flatMap(flagGroups)
    .filter(([heading]) => heading === CLUSTER_GROUP)
    .map(([, options]) => list(options.map(flagEntry)));
  const different = [...new Set(lists)];
  if (different.length !== 1) throw new Error('commands differ in the flags by which a cluster is found');
  return different;
}

function flagEntry(option: Option): string {
  const beside = [
    ...(option.attributeName() === 'version' ? [] : [code(variableOf(option))]),
    ...valueWords(option),
    ...(option.mandatory ? ['required'] : []),
  ];
  const behind = beside.length === 0 ? '' : ` (${beside.join(', ')})`;
  return `${code(option.flags)}${behind}: ${prose(option.description)}`;
}

function argumentEntry(argument: Argument): string {
  const name = argument.required
    ? `<${argument.name()}>`
    : `[${argument.name()}${argument.variadic ? '...' : ''}]`;
  const words = valueWords(argument);
  return `${code(name)}${words.length === 0 ? '' : ` (${words.join(', ')})`}: ${prose(argument.description)}`;
}

function valueWords({ argChoices, defaultValue }: Argument | Option): readonly string[] {
  return [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.map(code).join(', ')}`]),
    ...(defaultValue === undefined ? [] : [`default ${code(String(defaultValue))}`]),
  ];
}

/** Returns the help below the flags. Flags name their variables themselves. */
function belowFlags(command: Command, help: CommandHelp): string {
  const { about, exitCodes, variables, files, examples } = wholeHelp(command, help);
  const others = variables.filter(([name]) => name !== FLAG_VARIABLE);
  const width = Math.max(...examples.map(([words]) => words.length));
  const lines = examples.map(([words, what]) => `$ ${words.padEnd(width)}  # ${what}`);
  return blocks(
    ...about.map(paragraph),
    rows('Exit codes:', exitCodes),
    rows('Other variables:', others),
    rows('Files:', files),
    codeBlock('console', lines),
  );
}

function rows(title: string, entries: readonly Row[]): string {
  return entries.length === 0
    ? ''
    : blocks(title, list(entries.map(([term, what]) => `${code(term)}: ${prose(what)}`)));
}

/** Indented lines are code. */
function paragraph(text: string): string {
  const lines = text.split('\n');
  const indented = lines.filter((line) => line.startsWith('  ')).map((line) => line.slice(2));
  const plain = prose(lines.filter((line) => !line.startsWith('  ')).join('\n'));
  return indented.length === 0 ? plain : blocks(plain, codeBlock('text', indented));
}

/** A heading of help without its colon. */
function titleOf(heading: string): string {
  return heading.replace(/:$/, '');
}
