import { VERSION } from '../../compose/operator/version.ts';
import { errorsIn, type ManifestCheck } from '../../views/manifests/manifest-check.ts';
import { manifestPaths, outputFormat } from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import type { CommandHelp } from '../program/help.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

const FORMATS = ['text', 'json', 'github', 'sarif'] as const;

interface ValidateOptions {
  readonly filename: readonly string[];
  readonly output: (typeof FORMATS)[number];
}

/** `validate`: checks manifests offline; fails if one has an error, or if there are none. */
export const validate = cliCommand<ValidateOptions>({
  name: 'validate',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description('Check manifests without network access: schema, rules, and warnings per kind of source.')
      .addOption(manifestPaths())
      .addOption(outputFormat(FORMATS, 'how problems are printed'));
  },
  action,
});

async function action({ filename, output }: ValidateOptions, { terminal }: Call): Promise<ExitCode> {
  const { checkManifests } = await import('../../compose/session/check-manifests.ts');
  const { renderManifestCheck } = await import('../render/render-manifest-check.ts');
  const found = await checkManifests(filename, terminal.readStdin);
  const check = found.usable === 0 && errorsIn(found) === 0 ? nothingToCheck(filename, found) : found;
  terminal.out(renderManifestCheck(check, output, { name: 'dms-operator', version: VERSION }));
  return errorsIn(check) === 0 ? EXIT.ok : EXIT.failed;
}

function nothingToCheck(paths: readonly string[], check: ManifestCheck): ManifestCheck {
  const problem = {
    file: paths.join(' '),
    path: '',
    message: 'there are no manifests of dms-operator here',
    expected: 'at least one',
    severity: 'error',
  } as const;
  return { ...check, problems: [...check.problems, problem] };
}

function help(program: string): CommandHelp {
  return {
    about: [
      'Documents of other kinds are ignored.',
      'If a manifest names a connection, Secret or ConfigMap that is not declared, it warns, provided others of that kind are declared. If none is, they are probably kept elsewhere: one line at the end counts them, without a warning.',
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
