import { ANNOTATIONS, type DeploymentResource } from '../../api/deployment.ts';
import { ANNOTATION_VERBS, type AnnotationVerb } from '../resources/annotation-verbs.ts';
import { waitingPlan } from '../resources/waiting-plan.ts';

/** Everything that a person may have done about one resource. */
export type ActionName = 'approve' | 'pause' | 'resume' | 'reconcile' | 'redeploy';

/** An action as a screen offers it. */
export interface ScreenAction {
  readonly action: ActionName;
  /** Whether the action makes sense and is permitted. */
  readonly allowed: boolean;
  /** Why it is not permitted. */
  readonly why?: string;
  /** The exact change of the annotation, as a patch in YAML; for a folder, the line and its file. */
  readonly shows: string;
  /** The command that does the same. */
  readonly command: string;
}

/** Whether actions are permitted, and where their changes go. */
export interface ActionSetting {
  /** `--allow-actions` was given. */
  readonly allowed: boolean;
  /** The right that this user was found to lack in a namespace; undefined where none is known to be missing. */
  readonly missingRight: (namespace: string) => string | undefined;
  /** For a folder: returns the file and line that declare a resource. */
  readonly placeOf?: (resource: DeploymentResource) => string | undefined;
}

/** The text instead of the time at which a person will click. */
const NOW = '(the time of the click)';

/** Returns every action with its change of one resource, and whether it is permitted. */
export function actionsFor(resource: DeploymentResource, setting: ActionSetting): readonly ScreenAction[] {
  return [approval(resource), ...VERBS.map((verb) => offerOf(verb, resource))].map((offer) =>
    permitted(offer, resource, setting),
  );
}

/** An action before it is asked who may do it. */
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

/** Returns the change as YAML, as the annotation looks in a manifest; null removes it. */
function patchText(name: string, value: string | null, place: string | undefined): string {
  const lines = [
    'metadata:',
    '  annotations:',
    `    ${name}: ${value === null ? 'null' : JSON.stringify(value)}`,
  ];
  return `${place === undefined ? '' : `# ${place}\n`}${lines.join('\n')}\n`;
}
