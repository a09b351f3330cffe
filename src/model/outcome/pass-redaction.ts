import { defined } from '../../base/defined.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import type { Change } from '../compare/change.ts';
import type { DesiredSecrets } from '../desired/desired-deployment.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import type { Outcome } from './outcome.ts';
import type { Announcement, Plan } from '../plan/plan.ts';
import { connectionSecrets, type WithCredentials } from '../connection/connection-secrets.ts';
import { MARK, type Redact, SHOWN_WHOLE } from '../redaction/redact.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** Returns the secrets that a service may repeat: those of this resource and the credentials of its connection. */
export function passSecrets(secrets: DesiredSecrets, settings: WithCredentials): readonly SecretValue[] {
  const values = secrets.kind === 'unmanaged' ? [] : [...secrets.values.values()];
  return [...values, ...connectionSecrets(settings)];
}

/** Returns a plan whose texts show none of its secrets. The values that are compared and sent stay unchanged. */
export function redactedPlan<P extends Plan>(plan: P, redact: Redact): P {
  if (redact === SHOWN_WHOLE) return plan;
  return {
    ...plan,
    ...('message' in plan ? { message: redact(plan.message) } : {}),
    ...('withheld' in plan
      ? { withheld: plan.withheld.map((part) => ({ ...part, message: redact(part.message) })) }
      : {}),
    ...('changes' in plan && plan.changes !== undefined
      ? { changes: redactedChanges(plan.changes, redact) }
      : {}),
    ...(plan.kind === 'patch' ? { announcement: redactedAnnouncement(plan.announcement, redact) } : {}),
  };
}

function redactedAnnouncement(announcement: Announcement, redact: Redact): Announcement {
  const { observed, revisions, leftOut } = announcement;
  return {
    ...announcement,
    ...defined({ observed: observed && redactedTexts(observed, redact) }),
    revisions: redactedTexts(revisions, redact, OWN),
    leftOut: unhidden(leftOut, redact),
  };
}

/** Returns an outcome whose message contains nothing that was sent. */
export function redactedOutcome(outcome: Outcome, redact: Redact): Outcome {
  return outcome.kind === 'failed' || outcome.kind === 'waiting'
    ? { ...outcome, message: redact(outcome.message) }
    : outcome;
}

/**
 * The members of a status that repeat texts of the service. They do not include ids, since the next pass finds the
 * deployment by the id in the status.
 */
const SHOWN = [
  ...(['conditions', 'serviceStatus', 'imageVersion', 'createdTime', 'updatedTime'] as const),
  ...(['observed', 'revisions'] as const),
];

/** The members of conditions and revisions whose texts are the controller's own. */
const OWN: ReadonlySet<string> = new Set([
  ...['type', 'status', 'reason', 'lastTransitionTime'],
  ...['id', 'firstSeenTime', 'activeTime', 'cause'],
]);

const NONE: ReadonlySet<string> = new Set();

/** The members of a status whose texts come only from the service. */
const OF_THE_SERVICE: ReadonlySet<keyof DeploymentStatus> = new Set(
  (['name', ...SHOWN] as const).filter((key) => key !== 'conditions'),
);

/** The members with paths by which a later pass finds keys of the service again. */
const PATHS = ['leftOut', 'lost'] as const;

/** The redaction of a status's texts. */
export interface StatusRedaction {
  readonly redact: Redact;
  /** The name that the spec declares, which is no secret. */
  readonly declaredName: string | undefined;
  /** True if not all secrets are known; then a text that was hidden before stays hidden. */
  readonly secretsMissing: boolean;
}

/**
 * Returns a status that contains nothing that was sent. Searches only new texts, so an unchanged status costs nothing.
 */
export function redactedStatus(
  before: DeploymentStatus,
  after: DeploymentStatus,
  { redact, declaredName, secretsMissing }: StatusRedaction,
): DeploymentStatus {
  if (redact === SHOWN_WHOLE && !secretsMissing) return after;
  const changed = <K extends keyof DeploymentStatus>(key: K): Pick<DeploymentStatus, K> | undefined => {
    const value = after[key];
    if (value === undefined || isEqual(value, before[key])) return undefined;
    const kept = key === 'observed' ? NONE : OWN;
    const shown = redactedTexts(value, redact, kept);
    const stays = secretsMissing && OF_THE_SERVICE.has(key);
    return { [key]: stays ? withHidden(before[key], shown, kept) : shown } as Pick<DeploymentStatus, K>;
  };
  const named = after.name === declaredName ? after : { ...after, ...changed('name') };
  const shown = SHOWN.reduce<DeploymentStatus>((status, key) => ({ ...status, ...changed(key) }), named);
  const paths = PATHS.filter((key) => after[key] !== undefined && !isEqual(after[key], before[key]));
  return paths.reduce((status, key) => ({ ...status, [key]: unhidden(after[key], redact) }), shown);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Removes paths that contain a secret: with a hidden part, a path would find nothing. */
function unhidden(paths: readonly string[] = [], redact: Redact): readonly string[] {
  return paths.filter((path) => !redact(path).includes(MARK));
}

/** Returns a value with the earlier texts where these hide something, at any depth. Matches list items by their ids. */
function withHidden(before: unknown, after: unknown, kept: ReadonlySet<string>): unknown {
  if (typeof before === 'string' && typeof after === 'string') return before.includes(MARK) ? before : after;
  if (Array.isArray(before) && Array.isArray(after)) {
    const earlier = new Map(before.map((item: unknown, at) => [idOf(item) ?? at, item]));
    return after.map((item: unknown, at) => withHidden(earlier.get(idOf(item) ?? at), item, kept));
  }
  if (!isRecord(before) || !isRecord(after)) return after;
  const members = Object.entries(after).map(([key, member]) => [
    key,
    kept.has(key) ? member : withHidden(before[key], member, kept),
  ]);
  return Object.fromEntries(members);
}

function idOf(item: unknown): string | undefined {
  return isRecord(item) && typeof item['id'] === 'string' ? item['id'] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Redacts changes: names of secrets may come from the service; all other new values come from the spec. */
function redactedChanges(changes: readonly Change[], redact: Redact): readonly Change[] {
  return changes.map((change) => ({
    ...change,
    from: redact(change.from),
    to: change.path === SECRETS_PATH ? redact(change.to) : change.to,
  }));
}

/** Returns a copy with `redact` applied to all texts and names of members, at any depth: a service chooses both. */
export function redactedWhole<T>(value: T, redact: Redact): T {
  const texts = redactedTexts(value, redact);
  const renamed = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(renamed);
    if (!isRecord(part) || part instanceof SecretValue) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [redact(key), renamed(member)]));
  };
  return renamed(texts) as T;
}

/**
 * Returns a copy with `redact` applied to all texts, at any depth, except in `kept` members. Keeps a SecretValue, which
 * shows nothing of itself.
 */
export function redactedTexts<T>(value: T, redact: Redact, kept: ReadonlySet<string> = NONE): T {
  if (typeof value === 'string') return redact(value) as T;
  if (value instanceof SecretValue) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => redactedTexts(item, redact, kept)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]: [string, unknown]) => [
    key,
    kept.has(key) ? member : redactedTexts(member, redact, kept),
  ]);
  return Object.fromEntries(members) as T;
}
