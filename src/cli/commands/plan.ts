import { compareManifests } from '../../compose/session/manifest-comparison.ts';
import { planAll } from '../../compose/session/planning.ts';
import { savePlan } from '../../compose/apply/saved-plans.ts';
import { openSession } from '../../compose/session/session.ts';
import { UsageError } from '../../config.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { type FileProblem, problemText } from '../../api/file-problem.ts';
import { countsOf, verdictOf } from '../../views/plans/plan-summary.ts';
import type { PlannedResource } from '../../views/plans/planned.ts';
import { commandEnvironment } from '../../compose/session/command-environment.ts';
import { paintFor } from '../terminal/colour.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import type { PlanDocument, PlanGroupsDocument } from '../generated/documents.ts';
import { type BodyOf, renderDocument } from '../render/render-data.ts';
import { groupsDocument, renderGroups } from '../render/render-groups.ts';
import { renderPlan } from '../render/render-plan.ts';
import { renderPlanMarkdown } from '../render/render-plan-markdown.ts';
import { sessionOptions } from '../flags/session-options.ts';
import { standardInputOf } from '../terminal/standard-input.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { PlanOptions } from '../words/plan.ts';

const ONLY_FOR_APPLY =
  '--send-secrets: stands for that of apply; a controller sends such secrets by itself, so leave it out';

const ONLY_IN_FOLDERS =
  '--out: saves a plan for apply, which works without a cluster; in a cluster spec.approval: Manual has a plan reviewed';

/** `plan`: what would be sent, or how manifests differ from others; writes nothing anywhere but to the terminal. */
export async function planCommand(
  options: PlanOptions,
  terminal: Terminal,
  how: { readonly clusterByDefault: boolean },
): Promise<ExitCode> {
  const { resources, problems } = await found(options, terminal, how);
  for (const problem of problems) terminal.err(`${problemText(problem)}\n`);
  if (problems.some(({ severity }) => severity === 'error')) return EXIT.failed;
  if (resources.length === 0) throw nothingDeclared(options);
  const failure = commonFailure(resources);
  if (failure !== undefined) throw new ExpectedError(failure);
  const reports = options.group === true ? SUMS : REPORTS;
  terminal.out(reports[options.output](resources, terminal));
  const verdict = verdictOf(resources);
  return verdict === 'held' ? EXIT.failed : verdict === 'changes' ? EXIT.changes : EXIT.ok;
}

/** With an error among the manifests no question is asked: what it hides could make the rest of the plan wrong. */
async function found(
  options: PlanOptions,
  terminal: Terminal,
  how: { readonly clusterByDefault: boolean },
): Promise<{ readonly resources: readonly PlannedResource[]; readonly problems: readonly FileProblem[] }> {
  const { filename, against, prune } = options;
  if (against !== undefined) return compareManifests(filename, against, terminal.readStdin);
  const environment = commandEnvironment({
    ...terminal,
    readStdin: await standardInputOf(filename, terminal),
  });
  const signal = terminal.untilStopped();
  const where = sessionOptions(options, filename, { ...how, environment: terminal.environment });
  const sendSecrets = options.sendSecrets === true;
  if (sendSecrets && where.cluster !== undefined) throw new UsageError(ONLY_FOR_APPLY);
  const holdUnprovenSecrets = where.cluster === undefined && !sendSecrets;
  const makesKey = options.out !== undefined;
  if (makesKey && where.cluster !== undefined) throw new UsageError(ONLY_IN_FOLDERS);
  const asked = { ...where, prune, holdUnprovenSecrets, makesKey };
  const session = await openSession(asked, environment, signal);
  try {
    const { problems } = session;
    const isBroken = problems.some(({ severity }) => severity === 'error');
    const requests = options.detailed === true;
    if (isBroken) return { problems, resources: [] };
    const resources = await planAll(session, { requests, reviews: makesKey }, signal);
    if (options.out !== undefined) await savePlan(options.out, resources, session.deciding.digests);
    return { problems, resources };
  } finally {
    await session.close();
  }
}

/** The problem that all resources share, if there is one: a plan of nothing else would hide it. */
function commonFailure(resources: readonly PlannedResource[]): string | undefined {
  const messages = new Set(
    resources.map(({ action, message }) => (action === 'Error' ? message : undefined)),
  );
  return messages.size === 1 ? [...messages][0] : undefined;
}

function nothingDeclared({ filename }: PlanOptions): ExpectedError {
  return new ExpectedError(`${filename.join(' ')}: no Deployment of dms-operator is declared here; name one`);
}

const REPORTS: Readonly<
  Record<PlanOptions['output'], (resources: readonly PlannedResource[], terminal: Terminal) => string>
> = {
  text: (resources, terminal) => renderPlan(resources, terminal.columns, paintFor(terminal)),
  json: (resources) => renderDocument(documentOf(resources), 'json'),
  yaml: (resources) => renderDocument(documentOf(resources), 'yaml'),
  markdown: (resources) => renderPlanMarkdown(resources),
};

const SUMS: typeof REPORTS = {
  ...REPORTS,
  text: (resources, terminal) => renderGroups(resources, terminal.columns),
  json: (resources) => renderDocument(sumOf(resources), 'json'),
  yaml: (resources) => renderDocument(sumOf(resources), 'yaml'),
};

function sumOf(resources: readonly PlannedResource[]): BodyOf<PlanGroupsDocument> {
  return { ...summaryOf(resources), groups: groupsDocument(resources) };
}

function summaryOf(resources: readonly PlannedResource[]): Pick<PlanDocument, 'summary'> {
  return { summary: { verdict: verdictOf(resources), ...countsOf(resources) } };
}

/** The document for scripts; its members stand in the same order every time. */
function documentOf(resources: readonly PlannedResource[]): BodyOf<PlanDocument> {
  return {
    ...summaryOf(resources),
    resources: resources.map(
      ({ kind, namespace, name, deploymentID, action, sends, reason, message, ...rest }) => {
        const { changes, revision, withheld, unknown, approval, request } = rest;
        const about = { kind, namespace, name, deploymentID, action, sends, reason, message };
        const told = changes.map((change) => ({ ...change, drift: change.drift === true }));
        return { ...about, changes: told, revision, withheld, unknown, approval, request };
      },
    ),
  };
}
