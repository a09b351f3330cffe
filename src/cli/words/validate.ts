import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { manifestPaths, outputFormat } from '../options.ts';

/** Formats of `validate`. */
export const VALIDATE_FORMATS = ['text', 'json', 'github', 'sarif'] as const;

/** What `validate` was asked to do. */
export interface ValidateOptions {
  readonly filename: readonly string[];
  readonly output: (typeof VALIDATE_FORMATS)[number];
}

/** The words of `validate`. */
export const validate = cliCommand<ValidateOptions>({
  name: 'validate',
  group: 'Declare and keep:',
  declare: (command, program) => {
    command
      .description('Check manifests without asking anybody: schema, rules, and warnings per kind of source.')
      .addOption(manifestPaths())
      .addOption(outputFormat(VALIDATE_FORMATS, 'how problems are printed'))
      .addHelpText('after', help(program));
  },
  carryOut: async (options, terminal) => {
    const { validateCommand } = await import('../validate.ts');
    return validateCommand(options, terminal);
  },
});

function help(program: string): string {
  return `
The exit code is 1 if there is an error, or nothing to check; warnings alone are fine. Documents of other kinds are ignored.
${examples([
  [`${program} validate -f manifests/`, 'a folder and everything below it'],
  [`${program} validate -f a.yaml b.yaml -o json`, 'for scripts'],
  [`${program} validate -f . -o github`, 'annotations on a pull request'],
  [`${program} validate -f . -o sarif > problems.sarif`, 'for a code scanning service'],
  [`kustomize build . | ${program} validate -f -`, 'what another tool made'],
])}`;
}
