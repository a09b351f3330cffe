import type { DeploymentStatus } from '../../api/deployment.ts';
import type { DesiredSecrets } from '../desired/desired-deployment.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { isEmpty, stableText } from '../desired/canonical-text.ts';
import { isShown, restored, WHOLE_SPEC, type Written } from './effect-of.ts';
import type { JsonObject } from '../../base/json.ts';
import { sentBack, type Trust } from '../recorded/masks.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { withMapKeysLast } from './shared-maps.ts';
import { inARow, textForPeople } from '../../base/text-for-people.ts';

/** The values that a write of ours lost, divided by whether they can be restored. */
export interface Losses {
  /** The paths that the next write restores. */
  readonly lost: readonly string[];
  /** The values that no write restores: fields by path, secrets as `secrets.NAME`. */
  readonly unrestored: readonly string[];
}

/** The number of entries that a status keeps; the oldest stay, but keys of labels and annotations give way. */
const KEPT = 20;

/** The longest path in a status, in bytes: the service may invent keys. */
const PATH_BYTES = 128;

/**
 * Divides losses into those that are restored and those that are not (R4). From a list of secrets, only our secrets are
 * restored, and those of other people whose values were shown, except names that we removed. If none can be restored,
 * the list is not sent. If our secrets are the whole list, the removal of all others was intended.
 */
export function divided(
  lost: readonly string[],
  { before, effect }: Written,
  secrets: {
    readonly desired: DesiredSecrets;
    /** The names that we sent before, with their digests. */
    readonly applied: ReadonlyMap<string, string>;
    readonly trust: Trust;
    /** True if ours are the whole list. */
    readonly exclusive: boolean;
  },
): Losses {
  const dropped = effect?.dropped ?? [];
  if (!lost.includes(SECRETS_PATH)) return { lost, unrestored: dropped };
  const declared = secrets.desired.kind === 'resolved' ? [...secrets.desired.values.keys()] : undefined;
  const ours = declared ?? [];
  const isWhole = declared !== undefined && secrets.exclusive;
  const isRemoved = (name: string): boolean => declared !== undefined && secrets.applied.has(name);
  const others = isWhole
    ? []
    : (before.secrets ?? []).filter(({ name }) => !ours.includes(name) && !isRemoved(name));
  const saved = new Set(sentBack(others, secrets.trust).map(({ name }) => name));
  const gone = others.filter(({ name }) => !saved.has(name) && !secrets.applied.has(name));
  const restores = ours.length > 0 || saved.size > 0;
  return {
    lost: restores ? lost : lost.filter((path) => path !== SECRETS_PATH),
    unrestored: [...dropped, ...gone.map(({ name }) => `${SECRETS_PATH}.${name}`)],
  };
}

/** Returns the keys of a lost resource spec that now have another value, which stays. */
export function overtaken(
  lost: readonly string[],
  written: Written | undefined,
  now: ObservedDeployment,
): readonly string[] {
  if (written === undefined || !lost.includes(WHOLE_SPEC)) return [];
  const [was, is] = [written.before, restored(written, now, lost)].map((look): JsonObject => {
    const spec = look.sourceConfig?.resourceSpec;
    return { ...spec?.fields, ...spec?.unknown };
  });
  return Object.entries(was ?? {})
    .filter(([key, value]) => !isEmpty(value) && stableText(value) !== stableText(is?.[key] ?? null))
    .map(([key]) => `${WHOLE_SPEC}.${key}`);
}

/**
 * Returns the losses for a status after a look: the new ones, and the earlier ones unless they are shown again or an
 * edit acknowledged them.
 */
export function lostAfter(
  said: DeploymentStatus['lost'],
  found: readonly string[],
  observed: ObservedDeployment,
): DeploymentStatus['lost'] {
  const missing = (said ?? []).filter((path) => isShown(observed, path) !== true);
  const news = found.map((path) => textForPeople(path, PATH_BYTES));
  const all = withMapKeysLast([...new Set([...missing, ...news])]).slice(0, KEPT);
  return all.length === 0 ? undefined : all;
}

/** Adds the losses that are not restored to a message. */
export function besideLost(message: string, lost: DeploymentStatus['lost']): string {
  if (lost === undefined || lost.length === 0) return message;
  return `${message}; gone after a write and not put back: ${inARow(lost)}`;
}
