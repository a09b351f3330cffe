import { type Command, Option } from 'commander';
import type { SessionOptions } from '../../compose/session/session.ts';
import { type Environment, UsageError } from '../../config.ts';
import { addClusterOptions, addEgressOptions, collected, port, type SessionFlags } from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES } from '../program/help.ts';
import { aborted } from '../terminal/aborted.ts';
import { openedBrowser } from '../terminal/opened-browser.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

interface ConsoleFlags extends SessionFlags {
  readonly dir?: string;
  readonly port: number;
  readonly open: boolean;
  readonly allowActions?: true;
}

/** `console`: shows what status and describe print, on a web page that this machine serves. */
export const consoleCommand = cliCommand<ConsoleFlags>({
  name: 'console',
  group: 'Look and ask:',
  endsWhenStopped: true,
  help,
  declare: (command) => {
    command
      .description('Show deployments on a page in the browser, as they change, until stopped.')
      .addOption(
        new Option('--port <port>', 'port of this machine to serve the page at; 0 for a free one')
          .argParser(port)
          .default(0, 'a free one'),
      )
      .option('--no-open', 'only print the address, and open no browser')
      .option('--allow-actions', 'let the page approve, pause, resume, reconcile and redeploy');
    whereToLook(command);
  },
  action,
});

function whereToLook(command: Command): void {
  addClusterOptions(command.optionsGroup('In a cluster:'))
    .option('-n, --namespace <namespace>', 'look only at this namespace; repeatable; default: all', collected)
    .option('--operator-namespace <namespace>', 'where the controller is; default: dms-operator');
  command
    .optionsGroup('Without a cluster:')
    .option('--dir <folder>', 'show the manifests in this folder, and their state')
    .option('--state <file>', 'file with their state; default: DIR/.dms-operator/state.json')
    .option('--secrets-dir <folder>', 'take Secrets from files <secret>/<key> in this folder');
  addEgressOptions(command.optionsGroup('For plans on request:'));
}

async function action(flags: ConsoleFlags, { terminal }: Call): Promise<ExitCode> {
  const session = await sessionOf(flags, terminal.environment);
  const { openConsole } = await import('../../compose/console/open-console.ts');
  const { renderYaml } = await import('../render/render-yaml.ts');
  const signal = terminal.untilStopped();
  const { port: wanted, allowActions = false } = flags;
  const options = { session, port: wanted, allowActions, yaml: renderYaml, err: terminal.err };
  const console = await openConsole(options, signal);
  terminal.out(`console at ${console.url}\n`);
  terminal.err('the address works once, for one browser; Ctrl-C ends the console\n');
  const browser = flags.open ? await openedBrowser(console.url, terminal.environment) : undefined;
  await aborted(signal);
  await Promise.all([console.close(), browser?.close()]);
  return EXIT.ok;
}

async function sessionOf(flags: ConsoleFlags, environment: Environment): Promise<SessionOptions> {
  const { sessionOptions } = await import('../flags/session-options.ts');
  const { dir } = flags;
  const session = sessionOptions(flags, dir === undefined ? [] : [dir], { environment });
  if (dir !== undefined && session.cluster !== undefined)
    throw new UsageError('--dir: does not go together with flags that name a cluster; leave out either');
  const beside = flags.state === undefined ? '--secrets-dir' : '--state';
  if (dir === undefined && (flags.state ?? flags.secretsDir) !== undefined)
    throw new UsageError(`${beside}: works only together with --dir`);
  return session;
}

function help(program: string): CommandHelp {
  return {
    about: [
      'It reads what the controller has found, with your own rights; it calls the service only if you request a plan on the page. It listens on this machine only, and serves only the browser that first opens its address.',
      'Without --allow-actions the page is read-only. With it, each action shows the exact change first, and is refused if the resource has changed meanwhile.',
    ],
    exitCodes: {
      0: 'stopped by SIGTERM or Ctrl-C',
      1: 'something is wrong; the last line says what',
    },
    files: STATE_FILES,
    examples: [
      [`${program} console`, 'the cluster of the current context'],
      [`${program} console -n team-a --allow-actions`, 'one namespace, with buttons to approve and pause'],
      [
        `${program} console --dir manifests/`,
        'a folder, with the state that "run --dir" or "apply" keeps there',
      ],
      [`${program} console --no-open --port 8300`, 'behind "ssh -L 8300:127.0.0.1:8300"'],
    ],
  };
}
