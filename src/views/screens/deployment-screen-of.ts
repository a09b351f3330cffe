import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';
import { defined } from '../../base/defined.ts';
import { declaredName } from '../../model/desired/desired-deployment.ts';
import { revisionOfChanges } from '../plans/plan-view.ts';
import {
  adviceFor,
  askedFor,
  commandFor,
  describable,
  observedFields,
  textOf,
} from '../resources/description.ts';
import { changesIn } from './drift-of.ts';
import type {
  ConditionLine,
  DeploymentScreen,
  DeploymentState,
  EventLine,
  LastWrite,
  NextStep,
  RevisionLine,
  ScreenPlan,
} from './deployment-screen.ts';
import type { Pictured } from './picture.ts';
import { type ActionSetting, actionsFor } from './screen-action.ts';

/** The parts of the screen that do not come from the resource. */
export interface ScreenParts {
  /** The resource version that an action must name. */
  readonly resourceVersion: string;
  readonly events: readonly EventLine[];
  readonly eventsError?: string | undefined;
  readonly actions: ActionSetting;
  /** Writes a value as YAML. */
  readonly yaml: (value: unknown) => string;
}

/** Returns the screen of one resource. */
export function deploymentScreen({ resource, row }: Pictured, parts: ScreenParts): DeploymentScreen {
  const { status = {} } = resource;
  const { pendingWrite } = status;
  return {
    row,
    resourceVersion: parts.resourceVersion,
    sentence: sentenceOf(resource, row.headline),
    state: stateOf(resource),
    next: nextSteps(resource),
    ...defined({ plan: planOf(resource) }),
    history: historyOf(status),
    ...(pendingWrite !== undefined && {
      announcement: {
        operation: pendingWrite.operation,
        paths: pendingWrite.paths,
        time: pendingWrite.time,
        attempt: pendingWrite.attempt,
        accepted: pendingWrite.accepted === true,
      },
    }),
    ...defined({ lastWrite: lastWriteOf(status), eventsError: parts.eventsError }),
    conditions: conditionsOf(status),
    events: parts.events.toSorted((a, b) => (a.time < b.time ? 1 : -1)),
    manifest: parts.yaml(manifestOf(resource)),
    actions: actionsFor(resource, parts.actions),
  };
}

/** Returns only the declaration; other parts of the screen show the observations. */
function manifestOf(resource: DeploymentResource): object {
  const { status: _, ...declared } = resource;
  const { next: __, status: ___, ...shown } = describable(declared) as Record<string, unknown>;
  return shown;
}

function sentenceOf({ status }: DeploymentResource, headline: string): string {
  const told = status?.conditions?.find(({ reason }) => reason === headline);
  if (told === undefined) return headline === 'Paused' ? 'Paused' : 'No controller has looked at it yet';
  return `${headline}: ${told.message}`;
}

function stateOf(resource: DeploymentResource): DeploymentState {
  const { metadata, spec, status = {} } = resource;
  const revisions = status.revisions ?? [];
  const find = (id: string | undefined) => revisions.find((revision) => revision.id === id);
  const { deploymentID, tenantID, imageVersion, createdTime, updatedTime } = status;
  const { activeRevisionID, latestRevisionID, rolloutStartedTime, missingSinceTime } = status;
  const { observedGeneration, lost = [], binding } = status;
  return {
    ...defined({ deploymentID, tenantID, imageVersion, createdTime, updatedTime }),
    ...defined({ activeRevisionID, latestRevisionID, rolloutStartedTime, missingSinceTime }),
    ...defined({
      activeSince: find(activeRevisionID)?.activeTime,
      latestSince: find(latestRevisionID)?.firstSeenTime,
      connectionKind: binding?.connectionKind,
      endpoint: binding?.endpoint,
      generation: metadata.generation,
      observedGeneration,
    }),
    deploymentName: status.name ?? declaredName(resource) ?? metadata.name,
    behind: status.conditions !== undefined && (observedGeneration ?? 0) < (metadata.generation ?? 0),
    approval: spec.approval ?? 'Automatic',
    managementPolicy: spec.managementPolicy ?? 'Manage',
    driftPolicy: spec.driftPolicy ?? 'Correct',
    lost,
    asked: askedFor(resource),
    observed: observedFields(status),
  };
}

/** Returns the reasons of the conditions with advice; empty if all is well. */
export function nextSteps(resource: DeploymentResource): readonly NextStep[] {
  const { name, namespace = '' } = resource.metadata;
  return adviceFor(defined({ status: resource.status })).map((advice) => {
    const command = commandFor(advice.reason, name);
    return { ...advice, ...(command !== undefined && { command: `${command} -n ${namespace}` }) };
  });
}

/** Returns the differences in a status; undefined if there are none. */
export function planOf(resource: DeploymentResource): ScreenPlan | undefined {
  const { plan, conditions = [] } = resource.status ?? {};
  if (plan === undefined) return undefined;
  const synced = conditions.find(({ type }) => type === 'Synced');
  const { expected, why } = revisionOfChanges(
    plan.changes.map(({ path, revision }) => ({ path, revision, from: '', to: '' })),
  );
  return {
    ...defined({ hash: plan.hash }),
    changes: changesIn(resource),
    changesOmitted: plan.changesOmitted,
    withheld: [],
    revision: `${REVISIONS[expected]}: ${why}`,
    sends: plan.hash !== undefined || SENT_BY_ITSELF.has(synced?.reason ?? ''),
  };
}

const REVISIONS = {
  Expected: 'Makes a revision',
  Possible: 'May make a revision',
  None: 'Makes no revision',
} as const;

/** Reasons with which the operator sends the differences without a person. */
const SENT_BY_ITSELF: ReadonlySet<string> = new Set(['Pending', 'Sent', 'Retrying', 'OutcomeUnknown']);

function historyOf({
  revisions = [],
  activeRevisionID,
  latestRevisionID,
}: DeploymentStatus): readonly RevisionLine[] {
  return revisions
    .map(({ id, cause, generation, imageURI, repoCommitSHA: commit, firstSeenTime, activeTime }) => ({
      ...{ id, cause, firstSeenTime },
      ...defined({ generation, imageURI, commit, activeTime }),
      isActive: id === activeRevisionID,
      isNewest: id === latestRevisionID,
    }))
    .toSorted((a, b) => (a.firstSeenTime < b.firstSeenTime ? 1 : -1));
}

function lastWriteOf({ lastPatch }: DeploymentStatus): LastWrite | undefined {
  if (lastPatch === undefined) return undefined;
  const { time, outcome, paths, revisionID, refusal } = lastPatch;
  return {
    ...{ time, outcome, paths },
    ...defined({ revisionID }),
    ...(refusal !== undefined && { refusal: `${refusal.reason}: ${refusal.message}` }),
  };
}

function conditionsOf({ conditions = [] }: DeploymentStatus): readonly ConditionLine[] {
  return conditions.map(({ type, status, reason, message, lastTransitionTime }) => {
    const { means = '', todo } = textOf(reason) ?? {};
    return { type, status, reason, message, since: lastTransitionTime, means, ...defined({ todo }) };
  });
}
