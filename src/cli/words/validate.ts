import { cliCommand } from '../program/command.ts';
import type { CommandHelp } from '../program/help.ts';
import { manifestPaths, outputFormat } from '../flags/options.ts';

/** Formats of `validate`. */
export const VALIDATE_FORMATS = ['text', 'json', 'github', 'sarif'] as const;

/** The options of `validate`. */
export interface ValidateOptions {
  readonly filename: readonly string[];
  readonly output: (typeof VALIDATE_FORMATS)[number];
}

/** The words of `validate`. */
export const validate = cliCommand<ValidateOptions>({
  name: 'validate',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description('Check manifests without asking anybody: schema, rules, and warnings per kind of source.')
      .addOption(manifestPaths())
      .addOption(outputFormat(VALIDATE_FORMATS, 'how problems are printed'));
  },
  carryOut: async (options, terminal) => {
    const { validateCommand } = await import('../commands/validate.ts');
    return validateCommand(options, terminal);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      'Documents of other kinds are ignored.',
      'A connection, Secret or ConfigMap that is named and not declared is a warning where others of its kind are declared. Where none is, they are probably kept elsewhere: one line at the end counts them and is no warning.',
    ],
    exitCodes: { 0: 'no error; warnings alone are fine', 1: 'an error, or nothing to check' },
    examples: [
      [`${program} validate -f manifests/`, 'a folder and everything below it'],
      [`${program} validate -f a.yaml b.yaml -o json`, 'for scripts'],
      [`${program} validate -f . -o github`, 'annotations on a pull request'],
      [`${program} validate -f . -o sarif > problems.sarif`, 'for a code scanning service'],
      [`kustomize build . | ${program} validate -f -`, 'what another tool made'],
    ],
  };
}
