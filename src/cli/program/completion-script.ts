import type { Command, Option } from 'commander';

/**
 * Returns the script with which a shell, or kubectl, completes commands, flags, their values and, if a command takes
 * them, names.
 */
export function completionScript(shell: keyof typeof SCRIPTS, commands: readonly Command[]): string {
  return SCRIPTS[shell](commands);
}

const SCRIPTS = {
  bash: bashScript,
  zsh: (commands: readonly Command[]) =>
    `#compdef dms-operator\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
  kubectl: kubectlScript,
} as const;

/** Returns the flags with a value that select the place of resources. */
function flagsOfPlace(commands: readonly Command[]): readonly string[] {
  const options = commands.find((command) => command.name() === 'status')?.options ?? [];
  return options
    .filter(({ required, argChoices, long }) => required && argChoices === undefined && long !== '--selector')
    .flatMap(spellings);
}

function bashScript(commands: readonly Command[]): string {
  return `${bashFunctions(commands, 'dms-operator')}complete -o default -F _dms_operator dms-operator\n`;
}

/**
 * Returns the script that kubectl runs for `kubectl dms`. It prints the candidates, and whether file names are possible
 * too.
 */
function kubectlScript(commands: readonly Command[]): string {
  return `#!/usr/bin/env bash
${bashFunctions(commands, 'kubectl dms')}COMP_WORDS=(kubectl-dms "$@")
COMP_CWORD=$#
_dms_operator
if [ "\${#COMPREPLY[@]}" -eq 0 ]; then
  echo :0
else
  printf '%s\\n' "\${COMPREPLY[@]}" :4
fi
`;
}

/** Returns functions that complete a word of `program` and find names for it. */
function bashFunctions(commands: readonly Command[], program: string): string {
  const names = commands.map((command) => command.name()).join(' ');
  const flags = commands.map((command) => `    ${command.name()}) words='${wordsOf(command).join(' ')}' ;;`);
  const values = commands.flatMap((command) =>
    command.options.flatMap((option) => {
      const choices = option.argChoices?.join(' ');
      if (choices === undefined) return [];
      return spellings(option).map((flag) => `    ${command.name()}:${flag}) values='${choices}' ;;`);
    }),
  );
  const named = commands.filter(takesNames).map((command) => command.name());
  const places = flagsOfPlace(commands);
  return `${bashNames(places, program)}_dms_operator() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words='' values=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} help' -- "$word"))
    return
  fi
  case "$before" in
    ${places.join('|')}) return ;;
  esac
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
    ${named.map((name) => `${name}:*`).join('|')}) words="$(_dms_operator_names)" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
`;
}

/** Returns code that completes the names which `program` finds for the words so far. */
function bashNames(places: readonly string[], program: string): string {
  const long = places.filter((flag) => flag.startsWith('--'));
  return `_dms_operator_names() {
  local where=() index=2
  while [ "$index" -lt "$COMP_CWORD" ]; do
    case "\${COMP_WORDS[index]}" in
      ${places.join('|')})
        [ "\${COMP_WORDS[index+1]}" = '=' ] && where+=("\${COMP_WORDS[index]}=\${COMP_WORDS[index+2]}")
        [ "\${COMP_WORDS[index+1]}" = '=' ] || where+=("\${COMP_WORDS[index]}" "\${COMP_WORDS[index+1]}")
        ;;
      ${long.map((flag) => `${flag}=*`).join('|')}) where+=("\${COMP_WORDS[index]}") ;;
    esac
    index=$((index + 1))
  done
  ${program} status -o name "\${where[@]}" 2>/dev/null | sed 's,.*/,,'
}
`;
}

function fishScript(commands: readonly Command[]): string {
  const first = '__fish_use_subcommand';
  const lines = commands.flatMap((command) => {
    const inside = `-n '__fish_seen_subcommand_from ${command.name()}'`;
    return [
      `complete -c dms-operator -f -n ${first} -a ${command.name()} -d ${quoted(command.description())}`,
      ...command.options.map((option) => `complete -c dms-operator ${inside} ${fishFlag(option)}`),
      ...(takesNames(command) ? [`complete -c dms-operator -f ${inside} -a '(__dms_operator_names)'`] : []),
    ];
  });
  const shells = `complete -c dms-operator -f -n '__fish_seen_subcommand_from completion' -a '${Object.keys(SCRIPTS).join(' ')}'`;
  return `${[fishNames(flagsOfPlace(commands)), ...lines, shells].join('\n')}\n`;
}

/** Returns code that completes the names which the program finds for the words so far. */
function fishNames(places: readonly string[]): string {
  const long = places.filter((flag) => flag.startsWith('--'));
  return `function __dms_operator_names
  set -l words (commandline -opc)
  set -l where
  for index in (seq (count $words))
    switch $words[$index]
      case ${places.join(' ')}
        set -a where $words[$index] $words[(math $index + 1)]
      case ${long.map((flag) => `'${flag}=*'`).join(' ')}
        set -a where $words[$index]
    end
  end
  dms-operator status -o name $where 2>/dev/null | string replace -r '.*/' ''
end`;
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
  return command.registeredArguments.some((argument) => ['name', 'names'].includes(argument.name()));
}

/** Quotes a text in single quotes, which fish escapes with a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
