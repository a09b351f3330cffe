import { UsageError } from '../../config.ts';
import { cliCommand } from '../program/command.ts';
import { type CommandHelp, NO_COLOR, STATE_FILES, STOPPED } from '../program/help.ts';
import { addSessionOptions, manifestPaths, outputFormat, type SessionFlags } from '../flags/options.ts';

/** Formats of `plan`. */
export const PLAN_FORMATS = ['text', 'json', 'yaml', 'markdown'] as const;

/** The options of `plan`. */
export interface PlanOptions extends SessionFlags {
  readonly filename: readonly string[];
  readonly output: (typeof PLAN_FORMATS)[number];
  readonly detailed?: true;
  readonly group?: true;
  readonly out?: string;
  readonly prune?: true;
  readonly sendSecrets?: true;
  readonly against?: string;
}

/** The words of `plan`. */
export const plan = cliCommand<PlanOptions>({
  name: 'plan',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description(
        'Show what would be sent: which fields, from what to what, and whether a revision follows.',
      )
      .addOption(manifestPaths())
      .addOption(outputFormat(PLAN_FORMATS, 'how the plan is printed; markdown is for a pull request'))
      .option('--detailed', 'with the requests that would be sent, values of secrets hidden')
      .option('--group', 'summed up: each change once, with how many resources it concerns')
      .option(
        '--against <path>',
        'compare with these manifests instead, and ask no service: the file or folder as it was before',
      );
    addSessionOptions(command)
      .optionsGroup('Without a cluster:')
      .option('--prune', 'with what would be deleted because its manifest is gone')
      .option('--out <file>', 'save the plan, so that apply --plan sends exactly this')
      .option('--send-secrets', 'as apply --send-secrets: also secrets that nothing proves to differ');
  },
  carryOut: async (options, terminal, _, program) => {
    if (options.against !== undefined) refuseSessionFlags(options);
    if (options.group === true) refuseBesideGroup(options);
    const { planCommand } = await import('../commands/plan.ts');
    return planCommand(options, terminal, { clusterByDefault: program.startsWith('kubectl') });
  },
});

/** A sum has no place for requests, and a comment on a pull request shows each resource. */
function refuseBesideGroup({ detailed, output }: PlanOptions): void {
  const flag = detailed === true ? '--detailed' : output === 'markdown' ? '--output markdown' : undefined;
  if (flag !== undefined)
    throw new UsageError(`--group: does not go together with ${flag}; leave out one of them`);
}

/** Manifests that are compared with each other need nothing else; a flag without effect would be misleading. */
function refuseSessionFlags(options: PlanOptions): void {
  const others = [
    'state',
    'secretsDir',
    'kubeconfig',
    'context',
    'namespace',
    'prune',
    'sendSecrets',
    'out',
    'detailed',
  ] as const;
  const given = others.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const flag = given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(
    `--against asks no service and no cluster, so that --${flag} has no effect; leave it out`,
  );
}

function help(program: string): CommandHelp {
  return {
    about: [
      'Nothing is written anywhere. What was applied before is known from the state in the folder, or from the cluster that --kubeconfig, --context or --namespace name; without both, the plan says which fields it cannot judge. Called as kubectl dms it asks the cluster of the current context, unless --state or --secrets-dir is given.',
      'What is waiting goes on by itself; what is held needs a person: apply calls it held where a yes is enough, and failed where something must change.',
    ],
    exitCodes: {
      0: 'there is nothing to do',
      1: 'something is wrong or held, whatever else would change',
      2: 'something would change',
      ...STOPPED,
    },
    variables: [NO_COLOR],
    files: STATE_FILES,
    examples: [
      [`${program} plan -f manifests/`, 'with the state that "run --dir" or "apply" keeps there'],
      [`${program} plan -f manifests/ --context production`, 'what would follow from kubectl apply'],
      [`${program} plan -f manifests/ --out reviewed.json`, 'for apply --plan, once it is reviewed'],
      [`${program} plan -f manifests/ --group`, 'a release over many deployments, in a few lines'],
      [`${program} plan -f manifests/ -o markdown`, 'a comment on a pull request'],
      [`${program} plan -f manifests/ --against ../main/manifests`, 'what a change of a repository changes'],
    ],
  };
}
