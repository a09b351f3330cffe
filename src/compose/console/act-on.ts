import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';
import type { ActionEnd } from '../../console/server/console-backend.ts';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import { ANNOTATION_VERBS, type AnnotationVerb } from '../../views/resources/annotation-verbs.ts';
import { waitingPlan } from '../../views/resources/waiting-plan.ts';
import type { ActionRequest } from '../../views/screens/console-messages.ts';
import type { DeploymentScreen } from '../../views/screens/deployment-screen.ts';
import type { ConsoleSource } from './console-source.ts';

/** The parts of an action. */
export interface ActParts {
  readonly source: ConsoleSource;
  readonly nowMs: number;
  /** Returns the screen of the current resource. */
  readonly show: (resource: DeploymentResource) => Promise<DeploymentScreen>;
}

/**
 * Makes the change of an action, as its command does, on exactly the resource that the person saw; does nothing if it
 * has another version now.
 */
export async function actOn(
  request: ActionRequest,
  parts: ActParts,
  signal: AbortSignal,
): Promise<ActionEnd> {
  const { source, nowMs } = parts;
  const name = `${request.namespace}/${request.name}`;
  const resource = await source.now(request, signal);
  if (resource === undefined)
    return { kind: 'changed', error: `${name} was deleted meanwhile; nothing was done` };
  const planned = plannedChange(request, resource, nowMs);
  if (planned.kind === 'changed') return changed(planned.why, resource, parts);
  if (source.versionOf(resource) !== request.resourceVersion)
    return changed(`${name} has changed since this page showed it; nothing was done`, resource, parts);
  if (planned.kind === 'nothing') return { kind: 'done', done: `${name} ${planned.why}` };
  const end = await source.annotate(resource, planned.change, signal);
  switch (end.kind) {
    case 'done':
      return {
        kind: 'done',
        done: `${name} ${planned.doneText}${end.where === undefined ? '' : `; ${end.where} was edited, commit it`}`,
      };
    case 'forbidden':
      return {
        kind: 'forbidden',
        error: `you lack the right to ${end.missingRight}`,
        missingRight: end.missingRight,
      };
    case 'by hand':
      return { kind: 'forbidden', error: end.why };
    case 'changed': {
      const now = await source.now(request, signal);
      return changed(`${name} changed in the same moment; nothing was done`, now, parts);
    }
  }
}

type PlannedChange =
  | { readonly kind: 'set'; readonly change: AnnotationChange; readonly doneText: string }
  | { readonly kind: 'nothing'; readonly why: string }
  | { readonly kind: 'changed'; readonly why: string };

function plannedChange(
  { action, hash }: ActionRequest,
  resource: DeploymentResource,
  nowMs: number,
): PlannedChange {
  const { annotations = {} } = resource.metadata;
  if (action !== 'approve') {
    const verb: AnnotationVerb = ANNOTATION_VERBS[action];
    const name = ANNOTATIONS[verb.annotation];
    const planned = verb.plan(resource, annotations[name], nowMs);
    if (planned.kind === 'nothing') return planned;
    return { kind: 'set', change: { name, value: planned.value }, doneText: verb.doneText };
  }
  const waiting = waitingPlan(resource);
  if ('why' in waiting) return { kind: 'changed', why: `${waiting.why}; nothing was approved` };
  if (waiting.hash !== hash)
    return {
      kind: 'changed',
      why: `the plan that waits is ${waiting.hash} now, not ${hash ?? ''}; nothing was approved`,
    };
  const name = ANNOTATIONS.approve;
  if (annotations[name] === hash) return { kind: 'nothing', why: 'is approved already' };
  return { kind: 'set', change: { name, value: hash }, doneText: 'approved' };
}

async function changed(
  error: string,
  resource: DeploymentResource | undefined,
  { show }: ActParts,
): Promise<ActionEnd> {
  return { kind: 'changed', error, screen: resource === undefined ? undefined : await show(resource) };
}
