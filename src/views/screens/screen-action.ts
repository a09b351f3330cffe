import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';
import { ANNOTATION_VERBS, type AnnotationVerb } from '../resources/annotation-verbs.ts';
import { waitingPlan } from '../resources/waiting-plan.ts';

/** The actions that a person can take on a resource. */
export type ActionName = 'approve' | 'pause' | 'resume' | 'reconcile' | 'redeploy';

/** An action that a screen offers. */
export interface ScreenAction {
  readonly action: ActionName;
  /** True if the action makes sense and is permitted. */
  readonly allowed: boolean;
  /** Why it is not permitted. */
  readonly why?: string;
  /** The exact change of the annotation, as a patch in YAML; for a folder, the line and its file. */
  readonly shows: string;
  /** The command that does the same. */
  readonly command: string;
}

/** The setting of actions: whether they are permitted, and where their changes go. */
export interface ActionSetting {
  /** True with `--allow-actions`. */
  readonly allowed: boolean;
  /** Returns the right that this user is known to lack in a namespace; undefined if none is known to be missing. */
  readonly missingRight: (namespace: string) => string | undefined;
  /** Returns the file and line that declare a resource; only for a folder. */
  readonly placeOf?: (resource: DeploymentResource) => string | undefined;
}

/** The placeholder for the time of the click. */
const NOW = '(the time of the click)';

/** Returns all actions on one resource, each with its change and whether it is permitted. */
export function actionsFor(resource: DeploymentResource, setting: ActionSetting): readonly ScreenAction[] {
  return [approval(resource), ...VERBS.map((verb) => offerOf(verb, resource))].map((offer) =>
    permitted(offer, resource, setting),
  );
}

/** An action before the check of permissions. */
interface Offer {
  readonly action: ActionName;
  readonly annotation: keyof typeof ANNOTATIONS;
  /** The new value; null removes the annotation; undefined if there is nothing to do. */
  readonly value: string | null | undefined;
  readonly why?: string;
}

const VERBS = ['pause', 'resume', 'reconcile', 'redeploy'] as const;

function approval(resource: DeploymentResource): Offer {
  const waiting = waitingPlan(resource);
  const about = { action: 'approve', annotation: 'approve' } as const;
  if ('why' in waiting) return { ...about, value: undefined, why: waiting.why };
  const isApproved = resource.metadata.annotations?.[ANNOTATIONS.approve] === waiting.hash;
  if (isApproved) return { ...about, value: undefined, why: 'is approved already' };
  return { ...about, value: waiting.hash };
}

function offerOf(action: (typeof VERBS)[number], resource: DeploymentResource): Offer {
  const verb: AnnotationVerb = ANNOTATION_VERBS[action];
  const change = verb.plan(resource, resource.metadata.annotations?.[ANNOTATIONS[verb.annotation]], 0);
  const about = { action, annotation: verb.annotation };
  if (change.kind === 'nothing') return { ...about, value: undefined, why: change.why };
  return { ...about, value: action === 'reconcile' || action === 'redeploy' ? NOW : change.value };
}

function permitted(
  { action, annotation, value, why }: Offer,
  resource: DeploymentResource,
  { allowed, missingRight, placeOf }: ActionSetting,
): ScreenAction {
  const { namespace = '', name } = resource.metadata;
  const lacked = missingRight(namespace);
  const refusal =
    why ??
    (!allowed ? 'the console was started without --allow-actions' : undefined) ??
    (lacked === undefined ? undefined : `you lack the right to ${lacked}`);
  const place = placeOf?.(resource);
  const where = namespace === '' ? '' : ` -n ${namespace}`;
  return {
    action,
    allowed: refusal === undefined,
    ...(refusal !== undefined && { why: refusal }),
    shows: value === undefined ? '' : patchText(ANNOTATIONS[annotation], value, place),
    command: `${action} ${name}${where}${action === 'approve' && typeof value === 'string' ? ` --hash ${value}` : ''}`,
  };
}

/** Returns the change of an annotation as YAML, in the form of a manifest; null removes the annotation. */
function patchText(name: string, value: string | null, place: string | undefined): string {
  const lines = [
    'metadata:',
    '  annotations:',
    `    ${name}: ${value === null ? 'null' : JSON.stringify(value)}`,
  ];
  return `${place === undefined ? '' : `# ${place}\n`}${lines.join('\n')}\n`;
}
