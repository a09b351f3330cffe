import { Command, type Option } from 'commander';
import { COMMANDS } from './commands.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import type { Shell } from './words/completion.ts';

/** Prints what makes a shell complete commands, flags, their values and, where a command takes them, names. */
export function completionCommand(shell: Shell, { out }: Terminal): ExitCode {
  const program = new Command('dms-operator');
  for (const command of COMMANDS) command.addTo(program, 'dms-operator', () => undefined);
  out(SCRIPTS[shell](program.commands));
  return EXIT.ok;
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: (commands) =>
    `#compdef dms-operator\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

/** The names come from the cluster that the words so far do not name: that of the current context. */
const NAMES = 'dms-operator status -o name 2>/dev/null';

function bashScript(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name()).join(' ');
  const flags = commands.map((command) => `    ${command.name()}) words='${wordsOf(command).join(' ')}' ;;`);
  const values = commands.flatMap((command) =>
    command.options.flatMap((option) =>
      spellings(option).flatMap((flag) =>
        option.argChoices === undefined
          ? []
          : [`    ${command.name()}:${flag}) values='${option.argChoices.join(' ')}' ;;`],
      ),
    ),
  );
  const named = commands.filter(takesNames).map((command) => command.name());
  return `_dms_operator() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words='' values=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} help' -- "$word"))
    return
  fi
  case "$command:$before" in
${values.join('\n')}
  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    return
  fi
  case "$command" in
${flags.join('\n')}
    help) words='${names}' ;;
  esac
  case "$command:$word" in
    *:-*) ;;
    ${named.map((name) => `${name}:*`).join('|')}) words="$(${NAMES} | sed 's,.*/,,')" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _dms_operator dms-operator
`;
}

function fishScript(commands: readonly Command[]): string {
  const first = '__fish_use_subcommand';
  const lines = commands.flatMap((command) => {
    const inside = `-n '__fish_seen_subcommand_from ${command.name()}'`;
    return [
      `complete -c dms-operator -f -n ${first} -a ${command.name()} -d ${quoted(command.description())}`,
      ...command.options.map((option) => `complete -c dms-operator ${inside} ${fishFlag(option)}`),
      ...(takesNames(command)
        ? [`complete -c dms-operator -f ${inside} -a "(${NAMES} | string replace -r '.*/' '')"`]
        : []),
    ];
  });
  const shells = `complete -c dms-operator -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'`;
  return `${[...lines, shells].join('\n')}\n`;
}

function fishFlag(option: Option): string {
  return [
    ...(option.short === undefined ? [] : [`-s ${option.short.replace('-', '')}`]),
    ...(option.long === undefined ? [] : [`-l ${option.long.replace('--', '')}`]),
    ...(option.required ? ['-r'] : []),
    ...(option.argChoices === undefined ? [] : [`-f -a '${option.argChoices.join(' ')}'`]),
    `-d ${quoted(option.description)}`,
  ].join(' ');
}

function wordsOf(command: Command): readonly string[] {
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [...values, ...command.options.flatMap(spellings), '--help'];
}

function spellings({ short, long }: Option): readonly string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

function takesNames(command: Command): boolean {
  return command.registeredArguments.some((argument) => argument.name() === 'names');
}

/** In single quotes, which in fish are left by a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
