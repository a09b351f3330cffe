import type { DeploymentStatus } from '../api/deployment.ts';
import type { Change } from './change.ts';
import type { ConnectionSettings } from './connection.ts';
import type { DesiredSecrets } from './desired.ts';
import type { Outcome } from './outcome.ts';
import type { Announcement, Plan } from './plan-kinds.ts';
import { headerSecrets } from './header-secrets.ts';
import { type Redact, redactorOf } from './redact.ts';
import { SecretValue } from './secret.ts';

/** The longest text of a status, in bytes. */
const LONGEST_TEXT = 1_024;

const UNTOUCHED: Redact = (text) => text;

/**
 * Hides what a service may repeat of what it was given: the secrets of this resource and the headers of its connection. The
 * redactor is made when the first text comes.
 */
export function passRedactor(secrets: DesiredSecrets, settings: Pick<ConnectionSettings, 'headers'>): Redact {
  const values = secrets.kind === 'unmanaged' ? [] : [...secrets.values.values()];
  const all = [...values, ...headerSecrets(settings)];
  if (all.length === 0) return UNTOUCHED;
  let made: Redact | undefined;
  return (text) => (made ??= redactorOf(all, LONGEST_TEXT))(text);
}

/** A plan that shows nothing of what it was made with. What is compared and sent stays as it is. */
export function redactedPlan<P extends Plan>(plan: P, redact: Redact): P {
  if (redact === UNTOUCHED) return plan;
  return {
    ...plan,
    ...(plan.kind === 'blocked' || plan.kind === 'wait' ? { message: redact(plan.message) } : {}),
    ...('changes' in plan && plan.changes !== undefined
      ? { changes: redactedChanges(plan.changes, redact) }
      : {}),
    ...(plan.kind === 'patch' ? { announcement: redactedAnnouncement(plan.announcement, redact) } : {}),
  };
}

function redactedAnnouncement(announcement: Announcement, redact: Redact): Announcement {
  const { observed, revisions } = announcement;
  return {
    ...announcement,
    ...(observed === undefined ? {} : { observed: redactedTexts(observed, redact) }),
    revisions: redactedTexts(revisions, redact, OWN),
  };
}

/** An outcome whose message repeats nothing that was sent. */
export function redactedOutcome(outcome: Outcome, redact: Redact): Outcome {
  return outcome.kind === 'failed' || outcome.kind === 'waiting'
    ? { ...outcome, message: redact(outcome.message) }
    : outcome;
}

/**
 * The members of a status that repeat texts of the service. Ids are not among them: the next pass looks for the deployment by
 * the id that the status shows.
 */
const SHOWN = [
  ...(['conditions', 'serviceStatus', 'imageVersion', 'createdTime', 'updatedTime'] as const),
  ...(['observed', 'revisions'] as const),
];

/** Texts of conditions and revisions that are the controller's own. */
const OWN: ReadonlySet<string> = new Set([
  ...['type', 'status', 'reason', 'lastTransitionTime'],
  ...['id', 'firstSeenTime', 'activeTime', 'cause'],
]);

const NONE: ReadonlySet<string> = new Set();

/**
 * A status that repeats nothing that was sent. Only texts that are new are looked at, so a status at rest costs nothing. A name
 * that the spec asks for is no secret.
 */
export function redactedStatus(
  before: DeploymentStatus,
  after: DeploymentStatus,
  redact: Redact,
  declaredName: string | undefined,
): DeploymentStatus {
  if (redact === UNTOUCHED) return after;
  const changed = <K extends keyof DeploymentStatus>(key: K): Pick<DeploymentStatus, K> | undefined => {
    const value = after[key];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(before[key])) return undefined;
    return { [key]: redactedTexts(value, redact, key === 'observed' ? NONE : OWN) } as Pick<
      DeploymentStatus,
      K
    >;
  };
  const named = after.name === declaredName ? after : { ...after, ...changed('name') };
  return SHOWN.reduce<DeploymentStatus>((status, key) => ({ ...status, ...changed(key) }), named);
}

function redactedChanges(changes: readonly Change[], redact: Redact): readonly Change[] {
  return changes.map((change) => ({ ...change, from: redact(change.from) }));
}

/** A copy whose texts, at any depth and except in `kept` members, pass `redact`; a secret value shows nothing of itself and stays. */
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
