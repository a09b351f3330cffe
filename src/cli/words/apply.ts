import { cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES, STOPPED } from '../program/help.ts';
import { addEgressOptions, durationMs, manifestPaths, outputFormat } from '../flags/options.ts';
import { Option } from 'commander';

/** Formats of `apply`. */
export const APPLY_FORMATS = ['text', 'json', 'yaml'] as const;

/** The options of `apply`. */
export interface ApplyWords {
  readonly filename: readonly string[];
  readonly output: (typeof APPLY_FORMATS)[number];
  readonly wait?: true;
  /** Milliseconds. */
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

/** The words of `apply`. */
export const apply = cliCommand<ApplyWords>({
  name: 'apply',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description('Make deployments equal to manifests once, without a cluster, and end when that is done.')
      .addOption(manifestPaths())
      .addOption(
        outputFormat(
          APPLY_FORMATS,
          'how the result is printed; other than text it is one document, at the end',
        ),
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
        'send secrets also where nothing tells whether they differ from what is there',
      )
      .option('--prune', 'delete resources whose manifest is gone, as their deletionPolicy says')
      .option(
        '--state <file>',
        'what is remembered between runs; default: .dms-operator/state.json in the first folder',
      )
      .option('--secrets-dir <folder>', 'take Secrets from files <secret>/<key> in this folder');
    addEgressOptions(command);
  },
  carryOut: async (options, terminal) => {
    const { applyCommand } = await import('../commands/apply.ts');
    return applyCommand(options, terminal);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      'Where manifests have an error, nothing is sent at all. First it shows what it would send, as plan does, and asks. Without a terminal it sends changes without a question, and creates or deletes a deployment only with --yes. What is ended by Ctrl-C, or by worse, is gone on with by the next apply: keep the state file.',
      'With -o json or yaml, how every resource stands at the end is one document on standard output, and progress goes to standard error. Where nothing was sent because of errors or an answer, there is none.',
      'What is waiting goes on by itself; what is held needs a person: held where a yes is enough, failed where something must change.',
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
        'delete what is not declared any more, without asking',
      ],
      [`${program} apply -f manifests/ --plan reviewed.json`, 'what was reviewed, and nothing else'],
      [`${program} apply -f manifests/ --yes -o json > result.json`, 'in a pipeline that reads the result'],
      [`kustomize build . | ${program} apply -f - --state state.json`, 'what another tool made'],
    ],
  };
}
