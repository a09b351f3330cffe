import type { SyncedReason } from '../../api/condition.ts';
import type { DeploymentSpec } from '../../api/deployment.ts';
import { type Applied, RELEASED } from '../recorded/baseline.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { sentBack, type Trust } from '../recorded/masks.ts';
import type { ObservedSecret } from '../external/observation.ts';

/** The secrets that the list may remove when we send it (H3). */
type SecretsOwnership = NonNullable<DeploymentSpec['secretsOwnership']>;

/** The facts besides the resource itself. */
export interface SecretsContext extends Trust {
  readonly ownership: SecretsOwnership;
  /** True if any deployment of the connection has shown a non-empty list, as this process or the status knows. */
  readonly secretsListed: boolean;
  /** True if the look is a list, not the answer to a write. */
  readonly listed: boolean;
  /** True if the look is a list that began after the window of our last write. */
  readonly listShowsWrites: boolean;
  /** True for such a list, and for one with the revision of our last write: they are no older than that write. */
  readonly listFollowsWrites: boolean;
  /** The paths of values that a write of ours left out or lost, unless a later one was to carry secrets. */
  readonly leftOutOrLost: readonly string[];
  /** True if the look is a list that is newer than one which showed our last write, as its new revision tells. */
  readonly listIsNewer: boolean;
  /** The learned form in which the service shows values; undefined if no write has shown it yet. */
  readonly visibility: string | undefined;
  /** True if the newest revision is not the one that our last write left. */
  readonly revisionMoved: boolean;
  /** True if the service merges a list of secrets by name, so omitted ones stay. */
  readonly listsMerge: boolean;
  /** True if the operator created this deployment, so that an empty list is credible. */
  readonly createdByUs: boolean;
  /** True if a person must consent before the operator sends secrets that cannot be compared. */
  readonly holdUnproven: boolean;
}

/** The reason why secrets are held back. */
export interface Held {
  readonly reason: SyncedReason;
  readonly message: string;
  /** True if a person must consent first. Then the secrets may not be sent as part of another write either. */
  readonly unasked?: true;
}

/** A list of secrets to send, with the applied and the shown secrets. */
export interface SecretsToSend {
  /** Digests of the desired secrets, by name. */
  readonly want: ReadonlyMap<string, string>;
  readonly applied: Applied;
  readonly shown: readonly ObservedSecret[];
}

/** Refuses to send a list that would lose secrets which the operator cannot restore. */
export function guard(list: SecretsToSend, context: SecretsContext): Held | undefined {
  return guardLosses(list, context) ?? guardUnproven(list, context);
}

function guardLosses({ want, applied, shown }: SecretsToSend, context: SecretsContext): Held | undefined {
  if (context.ownership === 'Exclusive') return undefined;
  // A released secret tells nothing of what others did since.
  const ours = new Set(
    [...applied.secrets].filter(([, digest]) => digest !== RELEASED).map(([name]) => name),
  );
  const foreign = shown.filter(({ name }) => !want.has(name) && !ours.has(name));
  if (foreign.length > 0) return guardForeign(foreign, context);
  const neverApplied = ours.size === 0;
  if (neverApplied && shown.length === 0 && !context.secretsListed && !context.createdByUs) {
    return {
      reason: 'SecretVisibilityUnproven',
      message:
        'secrets are not sent: the service shows an empty list, and has never listed a secret; set secretsOwnership to Exclusive to send them',
    };
  }
  return undefined;
}

/**
 * Holds secrets back without proof that they differ. If no sent values are recorded, masked values prove nothing, and
 * neither does a list that may hide secrets: the service may already have our values, or newer ones.
 */
function guardUnproven(
  { want, applied, shown }: SecretsToSend,
  { holdUnproven, secretsPlain, secretsListed, createdByUs }: SecretsContext,
): Held | undefined {
  if (!holdUnproven || secretsPlain || applied.fields.has(SECRETS_PATH)) return undefined;
  const mayBeHidden = shown.length === 0 && !secretsListed && !createdByUs;
  const unproven = mayBeHidden ? [...want.keys()] : namesOf(shown).filter((name) => want.has(name));
  if (unproven.length === 0) return undefined;
  const message = `secrets are not sent: nothing proves that ${listed(unproven)} ${unproven.length === 1 ? 'differs' : 'differ'} from what the service has; use --send-secrets to send them, or a new text in dms-operator.dev/assume-applied to accept them as they are`;
  return { reason: 'SecretVisibilityUnproven', message, unasked: true };
}

function namesOf(secrets: readonly ObservedSecret[]): readonly string[] {
  return secrets.map(({ name }) => name);
}

function listed(names: readonly string[]): string {
  return names.slice(0, 10).join(', ');
}

/**
 * Holds secrets back if those of others would be lost. Merge sends other people's secrets back, which needs their
 * values; if these are masked, only a person can help.
 */
function guardForeign(foreign: readonly ObservedSecret[], context: SecretsContext): Held | undefined {
  const { ownership, secretsPlain, visibility } = context;
  const list = listed(namesOf(foreign));
  if (ownership === 'Guarded') {
    const message = `secrets are not sent: the service also lists ${list}; set secretsOwnership to Exclusive to drop them or to Merge to keep them`;
    return { reason: 'UnmanagedSecretsPresent', message };
  }
  if (sentBack(foreign, context).length === foreign.length) return undefined;
  if (secretsPlain || visibility === 'Masked' || visibility === 'NamesOnly') {
    const doubt = secretsPlain ? 'and may mask values' : 'and masks values';
    const message = `secrets are not sent: the service also lists ${list} ${doubt}, so they cannot be sent back; add them, or set secretsOwnership to Exclusive to drop them`;
    return { reason: 'UnmanagedSecretsPresent', message };
  }
  return {
    reason: 'SecretVisibilityUnproven',
    message: `secrets are not sent: ${list} exist at the service, which has not shown their values, so they cannot be sent back`,
  };
}
