import type { DeploymentStatus } from '../api/deployment.ts';
import type { Change } from './change.ts';
import type { ConnectionSettings } from './connection.ts';
import type { DesiredSecrets } from './desired.ts';
import type { Outcome } from './outcome.ts';
import type { Plan } from './plan-kinds.ts';
import { type Redact, redactorOf } from './redact.ts';

/** The longest text of a status, in bytes. */
const LONGEST_TEXT = 1_024;

const UNTOUCHED: Redact = (text) => text;

/**
 * Hides what a service may repeat of what it was given: the secrets of this resource and the headers of its connection. The
 * redactor is made when the first text comes.
 */
export function passRedactor(
  secrets: DesiredSecrets,
  { headers }: Pick<ConnectionSettings, 'headers'>,
): Redact {
  const values = secrets.kind === 'unmanaged' ? [] : [...secrets.values.values()];
  const all = [...values, ...headers.map(({ value }) => value)];
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
    ...(plan.kind === 'patch' && plan.announcement.observed !== undefined
      ? {
          announcement: { ...plan.announcement, observed: redactedTexts(plan.announcement.observed, redact) },
        }
      : {}),
  };
}

/** An outcome whose message repeats nothing that was sent. */
export function redactedOutcome(outcome: Outcome, redact: Redact): Outcome {
  return outcome.kind === 'failed' || outcome.kind === 'waiting'
    ? { ...outcome, message: redact(outcome.message) }
    : outcome;
}

/** The texts of a status that repeat what the service shows. Ids and times are short and plain, or they are not read. */
type Shown = 'name' | 'serviceStatus' | 'imageVersion' | 'observed' | 'revisions';

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
  const changed = <K extends Shown>(key: K): Pick<DeploymentStatus, K> | undefined => {
    const value = after[key];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(before[key])) return undefined;
    return { [key]: redactedTexts(value, redact) } as Pick<DeploymentStatus, K>;
  };
  return {
    ...after,
    ...(after.name === declaredName ? {} : changed('name')),
    ...changed('serviceStatus'),
    ...changed('imageVersion'),
    ...changed('observed'),
    ...changed('revisions'),
  };
}

function redactedChanges(changes: readonly Change[], redact: Redact): readonly Change[] {
  return changes.map((change) => ({ ...change, from: redact(change.from) }));
}

/** Texts that may stand in a revision beside those that the service shows. */
const OWN: ReadonlySet<string> = new Set(['id', 'firstSeenTime', 'activeTime', 'cause']);

function redactedTexts<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactedTexts(item, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]: [string, unknown]) => [
    key,
    OWN.has(key) ? member : redactedTexts(member, redact),
  ]);
  return Object.fromEntries(members) as T;
}
