import { ANNOTATIONS, type DeploymentResource, type DeploymentStatus } from '../../../api/deployment.ts';
import { UsageError } from '../../../config.ts';
import { ExpectedError } from '../../../base/expected-error.ts';
import { agreed } from '../../terminal/ask.ts';
import type { ExitCode } from '../../terminal/exit-code.ts';
import { countText, renderWhole } from '../../render/render.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Verb, verbCommand } from './verbs.ts';
import type { ApproveOptions } from '../../words/annotate/approve.ts';

type WaitingPlan = NonNullable<DeploymentStatus['plan']>;

/** `approve`: shows each plan that waits, asks, and approves exactly what it showed. */
export async function approveCommand(
  options: ApproveOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  if (options.hash !== undefined && words.length !== 1) {
    throw new UsageError('--hash: works only together with one name');
  }
  const named = words.length > 0;
  const verb: Verb = {
    done: 'approved',
    tell: (resource, { out, err, columns }) => {
      const waiting = waitingPlan(resource);
      if ('why' in waiting && !named) return;
      const text = planText(resource, expected(waiting, resource), columns);
      if (options.output === 'text') out(text);
      else if (!isAgreed(options)) err(text);
    },
    agrees: async (resources, signal) => isAgreed(options) || asked(resources, terminal, signal),
    say: (resource) => {
      const waiting = waitingPlan(resource);
      // Of many, those that wait for nothing keep no other from being approved.
      if ('why' in waiting && !named) return { kind: 'nothing', why: `is passed over: ${waiting.why}` };
      const { hash } = expected(waiting, resource);
      if (options.hash !== undefined && options.hash !== hash) {
        throw new ExpectedError(
          `${nameOf(resource)}: the plan that waits is ${hash}, not ${options.hash}; look at it and approve that one`,
        );
      }
      if (resource.metadata.annotations?.[ANNOTATIONS.approve] === hash) {
        return { kind: 'nothing', why: 'is approved already' };
      }
      return { kind: 'set', annotation: 'approve', value: hash };
    },
  };
  return verbCommand(verb, options, terminal, words);
}

function isAgreed({ yes, hash }: ApproveOptions): boolean {
  return yes === true || hash !== undefined;
}

function asked(
  resources: readonly DeploymentResource[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const question = {
    what: `this approves ${countText(resources.length, 'plan')} (${resources.map(nameOf).join(', ')})`,
    refused: 'nothing was approved',
    flags: '--yes, or --hash with the plan that was reviewed',
  };
  return agreed(question, terminal, signal);
}

/** A plan that waits for approval, by its hash. */
type Waiting = WaitingPlan & { readonly hash: string };

/** The plan that waits, or why none does; a plan that is not what the resource asks for now does not count. */
function waitingPlan({ spec, status, metadata }: DeploymentResource): Waiting | { readonly why: string } {
  if (spec.approval !== 'Manual')
    return { why: 'nothing to approve; plans of a resource without approval: Manual do not wait' };
  const hash = status?.plan?.hash;
  if (status?.plan === undefined || hash === undefined) {
    const synced = status?.conditions?.find(({ type }) => type === 'Synced');
    const reason =
      synced === undefined ? 'the controller has not looked at it yet' : `Synced is ${synced.reason}`;
    return { why: `no plan waits for approval; ${reason}` };
  }
  if ((status.observedGeneration ?? -1) < (metadata.generation ?? 0))
    return { why: 'the plan is older than the last change of the resource; wait for the next one' };
  return { ...status.plan, hash };
}

/** Throws an ExpectedError where none waits. */
function expected(waiting: ReturnType<typeof waitingPlan>, resource: DeploymentResource): Waiting {
  if ('why' in waiting) throw new ExpectedError(`${nameOf(resource)}: ${waiting.why}`);
  return waiting;
}

/** Values come from the service and are printed by renderWhole, which lets no control character pass. */
function planText(resource: DeploymentResource, plan: Waiting, columns: number): string {
  const { changes, changesOmitted } = plan;
  const rows = changes.map(({ path, from = '-', to = '-', revision }) => [
    path,
    from,
    to,
    revision.toLowerCase(),
  ]);
  const more = changesOmitted === 0 ? '' : `and ${changesOmitted} more, which the status has no room for\n`;
  const table = renderWhole({ header: ['FIELD', 'FROM', 'TO', 'REVISION'], rows }, columns);
  return `${nameOf(resource)}: plan ${plan.hash}\n${table}${more}`;
}

function nameOf({ metadata }: DeploymentResource): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
