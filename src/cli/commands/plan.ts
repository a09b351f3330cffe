import { ExpectedError } from '../../base/expected-error.ts';
import { type FileProblem, problemText } from '../../api/file-problem.ts';
import type { Session, SessionOptions } from '../../compose/session/session.ts';
import { type Environment, UsageError } from '../../config.ts';
import { errorsIn } from '../../views/manifests/manifest-check.ts';
import type { PlannedResource } from '../../views/plans/planned-resource.ts';
import { addSessionOptions, manifestPaths, outputFormat, type SessionFlags } from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, NO_COLOR, STATE_FILES, STOPPED } from '../program/help.ts';
import { paintFor } from '../terminal/paint.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

const FORMATS = ['text', 'json', 'yaml', 'markdown'] as const;

interface PlanOptions extends SessionFlags {
  readonly filename: readonly string[];
  readonly output: (typeof FORMATS)[number];
  readonly detailed?: true;
  readonly group?: true;
  readonly out?: string;
  readonly prune?: true;
  readonly sendSecrets?: true;
  readonly against?: string;
}

/**
 * `plan`: prints what would be sent, or how manifests differ from others. Writes only to the terminal, and to a file on
 * request.
 */
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
      .addOption(outputFormat(FORMATS, 'how the plan is printed; markdown is for a pull request'))
      .option('--detailed', 'with the requests that would be sent, values of secrets hidden')
      .option('--group', 'summed up: each change once, with how many resources it concerns')
      .option(
        '--against <path>',
        'compare with these manifests instead, without a service: the file or folder as it was before',
      );
    addSessionOptions(command)
      .optionsGroup('Without a cluster:')
      .option('--prune', 'include deletions of resources whose manifest is missing')
      .option('--out <file>', 'save the plan, so that apply --plan sends exactly this')
      .option('--send-secrets', 'as apply --send-secrets: also secrets that nothing proves to differ');
  },
  action,
});

const ONLY_FOR_APPLY =
  '--send-secrets: plan as for apply --send-secrets; a controller sends such secrets by itself, so omit it';

const ONLY_IN_FOLDERS =
  '--out: saves a plan for apply, which works without a cluster; in a cluster spec.approval: Manual has a plan reviewed';

async function action(options: PlanOptions, call: Call): Promise<ExitCode> {
  const { terminal } = call;
  if (options.against !== undefined) refuseSessionFlags(options);
  if (options.group === true) refuseBesideGroup(options);
  const { resources, problems } = await found(options, call);
  for (const problem of problems) terminal.err(`${problemText(problem)}\n`);
  if (errorsIn({ problems }) > 0) return EXIT.failed;
  if (resources.length === 0) throw nothingDeclared(options);
  const failure = commonFailure(resources);
  if (failure !== undefined) throw new ExpectedError(failure);
  const { verdictOf } = await import('../../views/plans/plan-summary.ts');
  const { renderPlanReport } = await import('../render/render-plan-report.ts');
  const how = { columns: terminal.columns, paint: paintFor(terminal), grouped: options.group === true };
  terminal.out(renderPlanReport(resources, options.output, how));
  const verdict = verdictOf(resources);
  return verdict === 'held' ? EXIT.failed : verdict === 'changes' ? EXIT.changes : EXIT.ok;
}

/** The planned resources, and the problems of manifests. */
interface Found {
  readonly resources: readonly PlannedResource[];
  readonly problems: readonly FileProblem[];
}

async function found(options: PlanOptions, call: Call): Promise<Found> {
  const { filename, against } = options;
  if (against === undefined) return plannedIn(options, call);
  const { compareManifests } = await import('../../compose/session/manifest-comparison.ts');
  return compareManifests(filename, against, call.terminal.readStdin);
}

async function plannedIn(options: PlanOptions, { terminal, program }: Call): Promise<Found> {
  const { openCommandSession, withSession } = await import('../../compose/session/command-environment.ts');
  const { standardInputOf } = await import('../terminal/terminal.ts');
  const readStdin = await standardInputOf(options.filename, terminal);
  const signal = terminal.untilStopped();
  const clusterByDefault = program.name().startsWith('kubectl');
  const asked = await sessionFor(options, { clusterByDefault, environment: terminal.environment });
  const opening = openCommandSession(asked, { ...terminal, readStdin }, signal);
  return withSession(opening, (session) => planOf(session, options, signal));
}

async function sessionFor(
  options: PlanOptions,
  how: { readonly clusterByDefault: boolean; readonly environment: Environment },
): Promise<SessionOptions> {
  const { sessionOptions } = await import('../flags/session-options.ts');
  const where = sessionOptions(options, options.filename, how);
  const inCluster = where.cluster !== undefined;
  if (inCluster && options.sendSecrets === true) throw new UsageError(ONLY_FOR_APPLY);
  if (inCluster && options.out !== undefined) throw new UsageError(ONLY_IN_FOLDERS);
  const holdUnprovenSecrets = !inCluster && options.sendSecrets !== true;
  return { ...where, prune: options.prune, holdUnprovenSecrets, makesKey: options.out !== undefined };
}

/**
 * Plans the resources. If a manifest has an error, makes no plan: the unreadable part could make the rest of the plan
 * wrong.
 */
async function planOf(session: Session, options: PlanOptions, signal: AbortSignal): Promise<Found> {
  const { problems } = session;
  if (errorsIn(session) > 0) return { problems, resources: [] };
  const { planAll } = await import('../../compose/session/plan-all.ts');
  const wanted = { requests: options.detailed === true, reviews: options.out !== undefined };
  const resources = await planAll(session, wanted, signal);
  if (options.out !== undefined) {
    const { savePlan } = await import('../../compose/apply/saved-plans.ts');
    await savePlan(options.out, resources, session.deciding.digests);
  }
  return { problems, resources };
}

/**
 * Returns the problem that all resources share, if there is one. The command reports it, since a plan of only failures
 * would hide it.
 */
function commonFailure(resources: readonly PlannedResource[]): string | undefined {
  const messages = new Set(
    resources.map(({ action, message }) => (action === 'Error' ? message : undefined)),
  );
  return messages.size === 1 ? [...messages][0] : undefined;
}

function nothingDeclared({ filename }: PlanOptions): ExpectedError {
  return new ExpectedError(`${filename.join(' ')}: no Deployment of dms-operator is declared here; name one`);
}

/**
 * Throws an error for flags that contradict --group: a summary cannot contain requests, and a comment on a pull request
 * shows each resource.
 */
function refuseBesideGroup({ detailed, output }: PlanOptions): void {
  const flag = detailed === true ? '--detailed' : output === 'markdown' ? '--output markdown' : undefined;
  if (flag !== undefined)
    throw new UsageError(`--group: does not go together with ${flag}; leave out one of them`);
}

/** Throws an error for flags that have no effect on a comparison of manifests, since they would mislead. */
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
      'It writes nothing. It knows what was applied before from the state in the folder, or from the cluster that --kubeconfig, --context or --namespace name; without both, the plan says which fields it cannot judge. As kubectl dms it reads the cluster of the current context, unless you give --state or --secrets-dir.',
      'A waiting resource continues by itself. A held one needs a person: apply calls it held if consent is enough, and failed if something must change.',
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
