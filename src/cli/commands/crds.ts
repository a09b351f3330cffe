import { type Call, cliCommand } from '../program/command.ts';
import type { CommandHelp } from '../program/help.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

/** `crds`: prints the CustomResourceDefinitions as one YAML stream. */
export const crds = cliCommand({
  name: 'crds',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command.description('Print the CustomResourceDefinitions.');
  },
  action,
});

async function action(_: object, { terminal }: Call): Promise<ExitCode> {
  const { CRD_DOCUMENTS } = await import('../../api/generated/crd-documents.ts');
  terminal.out(CRD_DOCUMENTS.map(({ text }) => `${text.trimEnd()}\n`).join('---\n'));
  return EXIT.ok;
}

function help(program: string): CommandHelp {
  return {
    exitCodes: { 0: 'printed' },
    examples: [
      [`${program} crds | kubectl apply --server-side -f -`, 'install or update them'],
      [`${program} crds > crds.yaml`, 'keep them in a repository'],
    ],
  };
}
