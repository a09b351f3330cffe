import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, NO_COLOR, STOPPED } from '../program/help.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

interface DemoOptions {
  readonly semantics?: string;
}

/** `demo`: the main job on embedded parts, as a timeline; fails when anything of the story did not happen. */
export const demo = cliCommand<DemoOptions>({
  name: 'demo',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command
      .description(
        'Show the main job on embedded parts: a simulated service, the controller, and drift that is corrected.',
      )
      .option(
        '--semantics <words>',
        'how the service behaves where the specification is silent; "simulate --semantics list" prints the words',
      );
  },
  action,
});

async function action({ semantics }: DemoOptions, { terminal }: Call): Promise<ExitCode> {
  const { DEMO_SPEED, runDemo } = await import('../../compose/demo/run-demo.ts');
  const { switchesFrom } = await import('../../compose/demo/simulation.ts');
  const { Timeline } = await import('./timeline.ts');
  const switches = semantics === undefined ? {} : switchesFrom(semantics);
  const timeline = new Timeline(terminal, DEMO_SPEED);
  timeline.opening();
  try {
    timeline.end(await runDemo(manifestsFolder(), switches, timeline, terminal.untilStopped()));
    return EXIT.ok;
  } catch (error) {
    terminal.err(
      `\nThe demo did not get to its end: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return EXIT.failed;
  }
}

const MANIFESTS = join('manifests', 'examples', 'demo');

/** Beside the bundle or in the checkout: the nearest one above this file, whose own depth differs between the two. */
function manifestsFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = join(folder, MANIFESTS);
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) throw new Error(`${MANIFESTS} is missing beside the program`);
  }
}

function help(program: string): CommandHelp {
  return {
    exitCodes: {
      0: 'everything happened as told',
      1: 'it did not get to its end; the last lines say why',
      ...STOPPED,
    },
    variables: [NO_COLOR],
    examples: [
      [`${program} demo`, 'needs nothing else; takes about ten seconds'],
      [`${program} demo --semantics replace,masked,on-presence`, 'the same with a service of other habits'],
    ],
  };
}
