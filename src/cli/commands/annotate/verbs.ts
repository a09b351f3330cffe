import type { DeploymentResource } from '../../../api/deployment.ts';
import { countText, inARow } from '../../../base/text-for-people.ts';
import { agreed, type Question } from '../../terminal/ask.ts';
import { ANNOTATION_VERBS } from '../../../views/resources/annotation-verbs.ts';
import type { VerbOptions } from './annotate.ts';
import { addWaitOptions, verbCommand } from './verb.ts';

const EDITED = 'something is wrong, or a manifest could not be edited';

/** `pause`: stops all requests to the service for these resources. */
export const pause = verbCommand({
  name: 'pause',
  description: 'Let the controller leave deployments alone, their deletion included, until resumed.',
  sets: 'Sets the annotation dms-operator.dev/paused.',
  exitCodes: { 0: 'paused, or was already', 1: EDITED },
  examples: [
    ['pause agent', 'one'],
    ['pause --all -n team-a', 'all of a namespace'],
    ['pause -l tier=gold -A', 'those with a label, everywhere'],
  ],
  verb: () => ANNOTATION_VERBS.pause,
});

/** `resume`: ends a `pause`. */
export const resume = verbCommand({
  name: 'resume',
  description: 'Let the controller take care of paused deployments again.',
  sets: 'Removes the annotation dms-operator.dev/paused.',
  exitCodes: { 0: 'resumed, or was not paused', 1: EDITED },
  examples: [
    ['resume agent', 'one'],
    ['resume --all -A', 'all that are paused, everywhere'],
  ],
  verb: () => ANNOTATION_VERBS.resume,
});

/** `reconcile`: runs one pass now. */
export const reconcile = verbCommand({
  name: 'reconcile',
  description: 'Let the controller reconcile deployments now, whatever it waits for.',
  declare: addWaitOptions,
  sets: 'Sets the annotation dms-operator.dev/reconcile-at to the time. This skips backoff, but not a budget, an approval or a missing dependency.',
  exitCodes: {
    0: 'requested; with --wait: the controller has reconciled',
    1: EDITED,
    3: 'with --wait: the time was over before the controller had reconciled',
  },
  examples: [
    ['reconcile agent --wait', 'look now, and come back when it has looked'],
    ['reconcile --all --wait --timeout 60s', 'all of the namespace, for a minute at most'],
  ],
  verb: () => ({
    ...ANNOTATION_VERBS.reconcile,
    handled: ({ status }) => status?.lastHandledReconcileAt,
  }),
});

/** `redeploy`: sends the revision block again. */
export const redeploy = verbCommand({
  name: 'redeploy',
  description: 'Let the controller make a new revision of deployments, on purpose.',
  declare: (command) =>
    addWaitOptions(command).option('-y, --yes', 'redeploy several that are not named, without asking'),
  sets: 'Sets the annotation dms-operator.dev/redeploy to the time: the revision block is sent once more, unchanged. Budgets and approvals hold.',
  about: ['With --all or -l it asks before it redeploys several; without a terminal, give --yes.'],
  exitCodes: {
    0: 'requested; with --wait: the redeploy was sent',
    1: EDITED,
    3: 'with --wait: the time was over before it was sent',
  },
  examples: [
    ['redeploy agent', 'one'],
    ['redeploy -l tier=gold --yes --wait', 'those with a label, until all are sent'],
  ],
  verb: (options, { terminal, words }) => ({
    ...ANNOTATION_VERBS.redeploy,
    handled: ({ status }) => status?.lastHandledRedeploy,
    agrees: async (resources, signal) =>
      isMeant(options, words, resources) || agreed(questionAbout(resources), terminal, signal),
  }),
});

/** True if the user typed the names, chose one resource, or passed a yes. */
function isMeant(
  { yes }: VerbOptions,
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
