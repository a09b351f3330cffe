import type { DeploymentResource } from '../../../api/deployment.ts';
import { inARow } from '../../../model/effects/unrestored.ts';
import { agreed, type Question } from '../../terminal/ask.ts';
import type { ExitCode } from '../../terminal/exit-code.ts';
import { countText } from '../../render/render.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { refuseIfPaused, type Verb, verbCommand } from './verbs.ts';
import type { RedeployOptions } from '../../words/annotate/redeploy.ts';
import type { VerbOptions } from '../../words/annotate/verbs.ts';

/** `reconcile`: one pass now. */
export function reconcileCommand(
  options: VerbOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  const verb: Verb = {
    done: 'will be looked at',
    say: (resource, nowMs) => {
      refuseIfPaused(resource, options.wait === true);
      return { kind: 'set', annotation: 'reconcileAt', value: timeText(nowMs) };
    },
    handled: ({ status }) => status?.lastHandledReconcileAt,
  };
  return verbCommand(verb, options, terminal, words);
}

/** Names that were typed, one resource, or a yes. */
function isMeant(
  { yes }: RedeployOptions,
  names: readonly string[],
  resources: readonly DeploymentResource[],
): boolean {
  return yes === true || names.length > 0 || resources.length === 1;
}

function questionAbout(resources: readonly DeploymentResource[]): Question {
  const names = resources.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`);
  return {
    what: `this makes a revision of ${countText(names.length, 'deployment')} (${inARow(names)})`,
    refused: 'nothing is redeployed',
    flags: '--yes to have it done',
  };
}

/** `redeploy`: the revision block once more. */
export function redeployCommand(
  options: RedeployOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  const verb: Verb = {
    done: 'will be redeployed',
    say: (resource, nowMs) => {
      refuseIfPaused(resource, options.wait === true);
      return { kind: 'set', annotation: 'redeploy', value: timeText(nowMs) };
    },
    handled: ({ status }) => status?.lastHandledRedeploy,
    agrees: async (resources, signal) =>
      isMeant(options, words, resources) || agreed(questionAbout(resources), terminal, signal),
  };
  return verbCommand(verb, options, terminal, words);
}

/** To the millisecond: a text counts only when it is another one than before. */
function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
