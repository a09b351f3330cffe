import { InvalidArgumentError, Option } from 'commander';
import type { DeploymentResource } from '../../../api/deployment.ts';
import { ExpectedError } from '../../../base/expected-error.ts';
import { countText } from '../../../base/text-for-people.ts';
import { UsageError } from '../../../config.ts';
import type { Call } from '../../program/command.ts';
import { type WaitingPlan, waitingPlan } from '../../../views/resources/waiting-plan.ts';
import { agreed, type Question } from '../../terminal/ask.ts';
import type { Verb, VerbOptions } from './annotate.ts';
import { verbCommand } from './verb.ts';

interface ApproveOptions extends VerbOptions {
  readonly hash?: string;
}

/** `approve`: shows each waiting plan, asks, and approves exactly what it showed. */
export const approve = verbCommand<ApproveOptions>({
  name: 'approve',
  description: 'Show the plan that waits for approval, ask, and approve exactly that one.',
  declare: (command) =>
    command
      .option('-y, --yes', 'approve the plan without asking')
      .addOption(
        new Option('--hash <hash>', 'only if this is the plan that waits; goes with one name').argParser(
          planHash,
        ),
      ),
  sets: 'Sets the annotation dms-operator.dev/approve to the hash of the plan. A plan that has changed meanwhile has another hash and waits again.',
  about: ['It asks before it approves anything; without a terminal, give --yes or --hash.'],
  exitCodes: {
    0: 'approved',
    1: 'something is wrong, no plan waits, or another one than --hash, or the answer was no; then nothing is approved',
  },
  examples: [
    ['approve agent', 'show the plan, ask, and approve it'],
    ['approve agent --hash 5c1e0b7a90d2f1c44e07', 'only the plan that was reviewed'],
  ],
  verb,
});

function planHash(text: string): string {
  if (/^[0-9a-f]{20}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the 20 hexadecimal digits of a plan.');
}

function verb(options: ApproveOptions, { terminal, words }: Call): Verb {
  if (options.hash !== undefined && words.length !== 1) {
    throw new UsageError('--hash: works only together with one name');
  }
  const named = words.length > 0;
  const isAgreed = options.yes === true || options.hash !== undefined;
  return {
    annotation: 'approve',
    doneText: 'approved',
    show: async (resource) => {
      const waiting = waitingPlan(resource);
      if ('why' in waiting && !named) return;
      const text = await planText(resource, expected(waiting, resource), terminal.columns);
      if (options.output === 'text') terminal.out(text);
      else if (!isAgreed) terminal.err(text);
    },
    agrees: async (resources, signal) => isAgreed || agreed(questionAbout(resources), terminal, signal),
    plan: (resource, approved) => {
      const waiting = waitingPlan(resource);
      // If there are many, resources without a waiting plan do not prevent the approval of others.
      if ('why' in waiting && !named) return { kind: 'nothing', why: `is passed over: ${waiting.why}` };
      const { hash } = expected(waiting, resource);
      if (options.hash !== undefined && options.hash !== hash) {
        throw new ExpectedError(
          `${nameOf(resource)}: the plan that waits is ${hash}, not ${options.hash}; look at it and approve that one`,
        );
      }
      return approved === hash
        ? { kind: 'nothing', why: 'is approved already' }
        : { kind: 'set', value: hash };
    },
  };
}

function questionAbout(resources: readonly DeploymentResource[]): Question {
  return {
    what: `this approves ${countText(resources.length, 'plan')} (${resources.map(nameOf).join(', ')})`,
    refused: 'nothing was approved',
    flags: '--yes, or --hash with the plan that was reviewed',
  };
}

/** Returns the waiting plan. Throws an ExpectedError if none waits. */
function expected(waiting: ReturnType<typeof waitingPlan>, resource: DeploymentResource): WaitingPlan {
  if ('why' in waiting) throw new ExpectedError(`${nameOf(resource)}: ${waiting.why}`);
  return waiting;
}

/** Returns a plan as text. Its values come from the service; renderWhole prints them without control characters. */
async function planText(resource: DeploymentResource, plan: WaitingPlan, columns: number): Promise<string> {
  const { renderWhole } = await import('../../render/render-table.ts');
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
