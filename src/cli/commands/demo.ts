import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, NO_COLOR, STOPPED } from '../program/help.ts';
import type { DemoShow } from '../../compose/demo/run-demo.ts';
import { aborted } from '../terminal/aborted.ts';
import { openedBrowser } from '../terminal/opened-browser.ts';
import { EXIT, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import type { Timeline } from './timeline.ts';

interface DemoFlags {
  readonly console?: true;
  readonly open: boolean;
  readonly semantics?: string;
}

/** `demo`: shows the operator at work with a simulated service, as a timeline. Fails if a step does not happen. */
export const demo = cliCommand<DemoFlags>({
  name: 'demo',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command
      .description(
        'Show the controller at work with a simulated service: it applies manifests and corrects drift.',
      )
      .option(
        '--semantics <words>',
        'how the service behaves where the specification is silent; "simulate --semantics list" prints all switches',
      )
      .option('--console', 'show it in the browser as well, more slowly')
      .option('--no-open', 'with --console: only print the address, and open no browser');
  },
  action,
});

async function action(flags: DemoFlags, { terminal }: Call): Promise<ExitCode> {
  const { semantics, console: onPage = false } = flags;
  const { DEMO_SPEED, DEMO_SPEED_TO_LOOK_AT, runDemo } = await import('../../compose/demo/run-demo.ts');
  const { switchesFrom } = await import('../../compose/demo/simulation.ts');
  const { Timeline } = await import('./timeline.ts');
  const switches = semantics === undefined ? {} : switchesFrom(semantics);
  const speed = onPage ? DEMO_SPEED_TO_LOOK_AT : DEMO_SPEED;
  const timeline = new Timeline(terminal, speed);
  const signal = terminal.untilStopped();
  const show = onPage
    ? (folder: string) => pageOf(folder, { terminal, timeline, opens: flags.open }, signal)
    : undefined;
  timeline.opening();
  try {
    const asked = { manifests: manifestsFolder(), switches, speed, show };
    const resources = await runDemo(asked, timeline, signal);
    if (!onPage) timeline.end(resources);
    return EXIT.ok;
  } catch (error) {
    terminal.err(`\nThe demo stopped early: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.failed;
  }
}

/** The time for a person to find the window before the first step. */
const TO_LOOK_MS = 4_000;

/** Serves the folder of the demo as `console` does, with all actions, until Ctrl-C. */
async function pageOf(
  folder: string,
  about: { readonly terminal: Terminal; readonly timeline: Timeline; readonly opens: boolean },
  signal: AbortSignal,
): Promise<DemoShow> {
  const { terminal, timeline, opens } = about;
  const { openConsole } = await import('../../compose/console/open-console.ts');
  const { DIRECT } = await import('../../model/connection/egress.ts');
  const { renderYaml } = await import('../render/render-yaml.ts');
  const session = { paths: [folder], egress: DIRECT };
  const options = { session, port: 0, allowActions: true, yaml: renderYaml, err: terminal.err };
  const page = await openConsole(options, signal);
  terminal.out(`console at ${page.url}\n`);
  const browser = opens ? await openedBrowser(page.url, terminal.environment) : undefined;
  return {
    pauseMs: browser === undefined ? 0 : TO_LOOK_MS,
    stay: async (resources) => {
      timeline.end(resources);
      terminal.err('the page stays open; Ctrl-C ends it\n');
      await aborted(signal);
    },
    close: async () => {
      await Promise.all([page.close(), browser?.close()]);
    },
  };
}

const MANIFESTS = join('manifests', 'examples', 'demo');

/** Finds the folder of manifests: next to the bundle, or further above this file in a checkout. */
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
      0: 'all steps happened as expected',
      1: 'a step did not happen; the last lines say why',
      ...STOPPED,
    },
    variables: [NO_COLOR],
    examples: [
      [`${program} demo`, 'needs nothing else and takes about ten seconds'],
      [
        `${program} demo --console`,
        'shows the same on a page, in about a minute; the page stays until Ctrl-C',
      ],
      [
        `${program} demo --semantics replace,masked,on-presence`,
        'shows the same with a service that behaves differently',
      ],
    ],
  };
}
