import type { SyncedReason } from '../../api/condition.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import { REPO_REF_PATH, SECRETS_PATH } from '../desired/fields.ts';
import { restored, type Written } from '../effects/effect-of.ts';
import type { Level, SentSecret } from '../external/patch-body.ts';
import { isCommitOf } from '../external/shown.ts';
import { declaredSecrets, standingSecrets } from './secret-list.ts';
import { budgetOf, mayMakeRevision, revisionsPerHour } from '../plan/budget.ts';
import { mayLackCarried, withCarriedBy } from './last-carried.ts';
import type { Selection } from './selection.ts';
import type { Present } from '../plan/situation.ts';

/** How much of a deployment a PATCH contains. */
export type BodyMode =
  | {
      readonly kind: 'possible';
      /** The base of a full body, because the service empties omitted values; absent for a small body. */
      readonly base?: ObservedDeployment | undefined;
      /** The levels at which a full body omits unchanged values as a trial; see `Situation`. */
      readonly trial?: ReadonlySet<Level> | undefined;
      /** The list of secrets, if one is sent. */
      readonly secrets: readonly SentSecret[];
      /** The names of secrets that a full body loses, since their values are unknown. */
      readonly unsaved: readonly string[];
    }
  /** No body is possible: it would empty a value that cannot be restored, or set a value that is held back. */
  | Impossible;

interface Impossible {
  readonly kind: 'impossible';
  readonly reason: SyncedReason;
  readonly message: string;
}

/**
 * Chooses the body: a full one if the connection says so, if the service empties omitted fields, or to restore the
 * losses of our last write. A full body that would lose secrets is sent only if a person chose full bodies, or if the
 * secrets are lost already.
 */
export function bodyMode(present: Present, selection: Selection): BodyMode {
  const { settings, learned, assessment, observed, written, resource } = present;
  const repairing = assessment.lost.length > 0 && written !== undefined;
  const replaces = settings.patchBodies === 'Auto' && learned.omittedFields?.verdict === 'Replace';
  if (settings.patchBodies === 'Partial' || !(repairing || replaces || settings.patchBodies === 'Full')) {
    const list = declaredSecrets(present, observed);
    const secrets = resource.spec.secretsOwnership === 'Merge' ? list.going : list.ours;
    return { kind: 'possible', secrets, unsaved: [] };
  }
  if (!repairing && wouldPinBranch(present)) return PINS_BRANCH;
  const base = repairing ? repairedFrom(present, written) : observed;
  const { going: secrets, ours, unsaved } = declaredSecrets(present, base);
  const isLoss = unsaved.length > 0 && settings.patchBodies !== 'Full';
  const held = heldSecrets(present, selection);
  if (held !== undefined) {
    const standing = held.unasked ? undefined : secretsLeftAlone(present, base);
    if (standing !== undefined) return { kind: 'possible', base, secrets: standing, unsaved: [] };
    return isLoss && !held.unasked ? losesOthers(unsaved) : wouldSet(held);
  }
  const others = secrets.filter((secret) => !ours.includes(secret));
  const missing = lostForMissing(present, unsaved, others);
  if (missing.length > 0) {
    const message = `nothing is sent until it exists: ${missing.join(', ')}; a request without secrets may empty them`;
    return { kind: 'impossible', reason: 'SecretMissing', message };
  }
  if (isLoss && !repairing) return losesOthers(unsaved);
  const mayTry = replaces && !repairing && unsaved.length === 0 && isSafeToTry(present, selection);
  const trial = mayTry ? present.trial : undefined;
  return { kind: 'possible', base, secrets, unsaved, trial };
}

/**
 * Returns the look with the lost values, as our last write found them. If the look may be older than that write, it has
 * the values that the write carried too.
 */
function repairedFrom(
  { assessment, listed, nowMs, observed }: Present,
  written: Written,
): ObservedDeployment {
  const base = restored(written, observed, assessment.lost);
  const newest = written.effect?.repair ?? written;
  return mayLackCarried(newest, listed, nowMs) ? withCarriedBy(newest, base) : base;
}

/**
 * True if a trial can cost nothing for long: lists show a part of the write, and so its losses at once, and the budget
 * leaves room for the repair.
 */
function isSafeToTry({ resource, listedPaths, nowMs }: Present, { send }: Selection): boolean {
  const isListed = send.some(({ desired }) => listedPaths.has(desired.field.path));
  const perHour = revisionsPerHour(resource) - 1;
  return isListed && mayMakeRevision(budgetOf(resource), { perHour, newGeneration: undefined, nowMs });
}

/** True if an unmanaged branch is shown as its commit (N36): a body with the shown value would pin the branch. */
function wouldPinBranch({ observed, assessment }: Present): boolean {
  const isManaged = assessment.judgements.some(({ desired }) => desired.field.path === REPO_REF_PATH);
  return !isManaged && isCommitOf(observed.sourceRevisionConfig?.fields['repoRef'], observed);
}

const PINS_BRANCH: Impossible = {
  kind: 'impossible',
  reason: 'SemanticsMismatch',
  message: `nothing is sent: a request must contain every value of this deployment, and ${REPO_REF_PATH} is shown as a commit, which would pin the branch; declare ${REPO_REF_PATH}, or set patch.bodies: Partial on the connection`,
};

function losesOthers(unsaved: readonly string[]): Impossible {
  const names = unsaved.slice(0, 10).join(', ');
  const message = `nothing is sent: the service empties what a request leaves out, and the values of ${names} cannot be sent back; set patch.bodies on the connection`;
  return { kind: 'impossible', reason: 'SemanticsMismatch', message };
}

function wouldSet({ reason, message: why }: HeldSecrets): Impossible {
  const message = `nothing is sent: every request must contain the secrets, and those at the service cannot be sent back: ${why}`;
  return { kind: 'impossible', reason, message };
}

/** The reason why the secrets at the service stay unchanged. */
interface HeldSecrets {
  readonly reason: SyncedReason;
  readonly message: string;
  /** True if a person must consent first. */
  readonly unasked: boolean;
}

/**
 * Returns why the secrets at the service must stay although the spec declares others. Returns undefined if our own
 * write emptied them, since they are still restored, and if the service only keeps names against our list, which says
 * nothing about our values.
 */
function heldSecrets({ assessment }: Present, { withheld, reported }: Selection): HeldSecrets | undefined {
  if (assessment.secrets.withheld?.unasked === true) return { ...assessment.secrets.withheld, unasked: true };
  if (assessment.lost.includes(SECRETS_PATH)) return undefined;
  const { held } = assessment.secrets;
  // A repair does not wait for the list that decides.
  if (held !== undefined && assessment.lost.length > 0) return { ...held, unasked: held.unasked === true };
  if (reported.includes(SECRETS_PATH)) {
    const message = 'secrets were changed by another writer, which is only reported (spec.driftPolicy)';
    return { reason: 'SemanticsMismatch', message, unasked: false };
  }
  const found = withheld.find(({ path }) => path === SECRETS_PATH);
  if (found === undefined || found.reason === 'SecretMissing' || found.reason === 'FieldNotClearable')
    return undefined;
  return { ...found, unasked: false };
}

/**
 * Returns a list that changes no secret: all secrets with their values, or an empty one if our last write showed that
 * omitted secrets stay.
 */
function secretsLeftAlone(present: Present, base: ObservedDeployment): readonly SentSecret[] | undefined {
  const { assessment, written } = present;
  const stay = assessment.lost.length > 0 && written !== undefined && written.body.secrets === undefined;
  return standingSecrets(present, base) ?? (stay ? [] : undefined);
}

/**
 * Returns the missing sources that keep a full body from carrying our secrets. Without these secrets, the body would
 * empty the list, and only the missing Secret could fill it again (H19, H20). Returns nothing if the list is lost
 * already.
 */
function lostForMissing(
  { desired: { secrets }, resource: { spec }, assessment }: Present,
  unsaved: readonly string[],
  saved: readonly SentSecret[],
): readonly string[] {
  if (secrets.kind !== 'missing' || assessment.lost.includes(SECRETS_PATH)) return [];
  const declared = new Set(spec.secrets?.map(({ name }) => name));
  const mayBeOurs = (name: string): boolean => declared.has(name) || spec.secretsFrom !== undefined;
  const goesAlong = new Set(saved.map(({ name }) => name));
  const applied = [...assessment.applied.secrets.keys()].filter((name) => !goesAlong.has(name));
  return applied.length > 0 || unsaved.some(mayBeOurs) ? secrets.what : [];
}
