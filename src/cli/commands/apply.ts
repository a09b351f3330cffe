import { Option } from 'commander';
import { problemText } from '../../api/file-problem.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { ApplyEnd, ApplyOptions } from '../../compose/apply/apply-once.ts';
import { addEgressOptions, durationMs, manifestPaths, outputFormat } from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES, STOPPED } from '../program/help.ts';
import { EXIT, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import type { ApplyProgress } from './apply-progress.ts';

const FORMATS = ['text', 'json', 'yaml'] as const;

interface ApplyFlags {
  readonly filename: readonly string[];
  readonly output: (typeof FORMATS)[number];
  readonly wait?: true;
  /** The time limit, in milliseconds. */
  readonly timeout?: number;
  readonly yes?: true;
  readonly plan?: string;
  readonly sendSecrets?: true;
  readonly prune?: true;
  readonly state?: string;
  readonly secretsDir?: string;
  readonly allowHosts?: readonly string[];
  readonly proxyHosts?: readonly string[];
  readonly proxyFromEnvironment?: true | string;
}

const TIMEOUT_MS = 300_000;

/** The time that a revision may take, unless `spec.rollout.deadlineSeconds` sets another limit. */
const WAIT_TIMEOUT_MS = 1_800_000;

/** `apply`: runs the operator on manifests once, until everything is settled. */
export const apply = cliCommand<ApplyFlags>({
  name: 'apply',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description('Bring deployments in line with manifests once, without a cluster, and then end.')
      .addOption(manifestPaths())
      .addOption(
        outputFormat(FORMATS, 'how the result is printed; other than text it is one document, at the end'),
      )
      .option('--wait', 'end when the newest revisions are active, not when the changes are in')
      .addOption(
        new Option(
          '--timeout <duration>',
          'give up waiting after so long, such as 90s or 10m; default: 5m, with --wait 30m',
        ).argParser(durationMs),
      )
      .option('-y, --yes', 'send what the plan shows without asking')
      .option('--plan <file>', 'send exactly what plan --out saved there, or nothing')
      .option(
        '--send-secrets',
        'send secrets even if nothing shows whether they differ from those at the service',
      )
      .option('--prune', 'delete resources whose manifest is missing, as their deletionPolicy says')
      .option(
        '--state <file>',
        'file for the state between runs; default: .dms-operator/state.json in the first folder',
      )
      .option('--secrets-dir <folder>', 'take Secrets from files <secret>/<key> in this folder');
    addEgressOptions(command);
  },
  action,
});

async function action(flags: ApplyFlags, { terminal }: Call): Promise<ExitCode> {
  const { applyOnce } = await import('../../compose/apply/apply-once.ts');
  const { ApplyProgress, applyListener } = await import('./apply-progress.ts');
  const signal = terminal.untilStopped();
  // If a document is printed, nothing else may be on standard output.
  const progress = new ApplyProgress(
    flags.output === 'text' ? terminal : { out: terminal.err, err: terminal.err, columns: Infinity },
  );
  signal.addEventListener('abort', () => progress.note('stopping after the requests under way'), {
    once: true,
  });
  const options = await applyOptions(flags, terminal);
  try {
    const listener = applyListener(terminal, progress, flags);
    const end = await applyOnce(options, listener, signal);
    return report(end, flags, { terminal, progress });
  } finally {
    progress.end();
  }
}

async function applyOptions(flags: ApplyFlags, { environment, readStdin }: Terminal): Promise<ApplyOptions> {
  const { readEgress } = await import('../flags/read-config.ts');
  const { state, secretsDir, plan, allowHosts, proxyHosts, proxyFromEnvironment } = flags;
  const wait = flags.wait === true;
  return {
    ...{ paths: flags.filename, readStdin, state, secretsDir, plan },
    prune: flags.prune === true,
    egress: readEgress({ allowHosts, proxyHosts, proxyFromEnvironment }, environment),
    yes: flags.yes === true,
    sendSecrets: flags.sendSecrets === true,
    goal: wait ? 'active' : 'synced',
    timeoutMs: flags.timeout ?? (wait ? WAIT_TIMEOUT_MS : TIMEOUT_MS),
  };
}

function report(
  end: ApplyEnd,
  { output }: ApplyFlags,
  { terminal, progress }: { readonly terminal: Terminal; readonly progress: ApplyProgress },
): ExitCode {
  switch (end.kind) {
    case 'invalid':
      terminal.err(end.problems.map((problem) => `${problemText(problem)}\n`).join(''));
      throw new ExpectedError('the manifests have errors: nothing was sent');
    case 'refused':
      return EXIT.failed;
    case 'ended': {
      progress.show(end.standings);
      progress.end();
      terminal.out(progress.result(end.standings, output));
      const kinds = new Set(end.standings.map(({ standing }) => standing.kind));
      if (progress.lostSecrets) {
        throw new ExpectedError('secrets that cannot be sent back are lost: see the warnings above');
      }
      if (kinds.has('failed')) return EXIT.failed;
      return kinds.has('waiting') || kinds.has('held') ? EXIT.unfinished : EXIT.ok;
    }
  }
}

function help(program: string): CommandHelp {
  return {
    about: [
      'If a manifest has an error, it sends nothing. It first shows what it would send, as plan does, and asks. Without a terminal it sends changes without a question, and creates or deletes a deployment only with --yes. After Ctrl-C, or a crash, the next apply continues: keep the state file.',
      'With -o json or yaml, it prints one document with the final state of every resource on standard output, and progress on standard error. If it sends nothing because of errors or a refusal, it prints no document.',
      'A waiting resource continues by itself. A held one needs the consent of a person, and a failed one needs a change.',
    ],
    exitCodes: {
      0: 'all is settled',
      1: 'something is wrong, or needs a change',
      3: 'still waiting at --timeout, or held for an approval or a pause',
      ...STOPPED,
    },
    files: STATE_FILES,
    examples: [
      [`${program} apply -f manifests/`, 'a folder and everything below it'],
      [`${program} apply -f manifests/ --wait --timeout 10m`, 'in a pipeline, until the new revisions serve'],
      [
        `${program} apply -f manifests/ --prune --yes`,
        'delete deployments that are no longer declared, without asking',
      ],
      [`${program} apply -f manifests/ --plan reviewed.json`, 'send the reviewed plan, and nothing else'],
      [`${program} apply -f manifests/ --yes -o json > result.json`, 'in a pipeline that reads the result'],
      [`kustomize build . | ${program} apply -f - --state state.json`, 'what another tool made'],
    ],
  };
}
