import type { SyncedReason } from '../../api/condition.ts';
import type { DeploymentSpec } from '../../api/deployment.ts';
import type { Applied } from '../recorded/baseline.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { sendable } from '../recorded/masks.ts';
import type { ObservedSecret } from '../external/observation.ts';

/** The secrets that the list may remove when we send it (H3). */
type SecretsOwnership = NonNullable<DeploymentSpec['secretsOwnership']>;

/** The knowledge beside the resource itself. */
export interface SecretsContext {
  readonly ownership: SecretsOwnership;
  /** Some deployment of the connection has shown a non-empty list. */
  readonly secretsListed: boolean;
  /** The look is a list that began after the window of our last write. */
  readonly listShowsWrites: boolean;
  /** Values are shown exactly as they were sent, proven in this process. */
  readonly secretsPlain: boolean;
  /** The form in which any process has seen values; undefined if no write of ours has shown it yet. */
  readonly visibility: string | undefined;
  /** The newest revision is not the one that our last write left behind. */
  readonly revisionMoved: boolean;
  /** Another deployment of the connection shows a secret as we applied it. */
  readonly shownBeside: boolean;
  /** True if the service merges a list of secrets by name, so omitted ones stay. */
  readonly listsMerge: boolean;
  /** The operator created this deployment, so that an empty list is believed. */
  readonly createdByUs: boolean;
  /** A person wants to be asked before secrets go that nothing can be compared with. */
  readonly holdUnproven: boolean;
}

/** The reason why secrets are held back. */
export interface Held {
  readonly reason: SyncedReason;
  readonly message: string;
  /** True if a person wants to be asked first: the secrets may not be sent as a part of anything else either. */
  readonly unasked?: true;
}

/** A list of secrets to send, beside the applied and the shown ones. */
export interface SecretsToSend {
  /** Digests of the desired secrets, by name. */
  readonly want: ReadonlyMap<string, string>;
  readonly applied: Applied;
  readonly shown: readonly ObservedSecret[];
}

/** Refuses to send a list that would lose secrets which we cannot put back. */
export function guard(list: SecretsToSend, context: SecretsContext): Held | undefined {
  return guardLosses(list, context) ?? guardUnproven(list, context);
}

function guardLosses({ want, applied, shown }: SecretsToSend, context: SecretsContext): Held | undefined {
  if (context.ownership === 'Exclusive') return undefined;
  const foreign = shown.filter(({ name }) => !want.has(name) && !applied.secrets.has(name));
  if (foreign.length > 0) return guardForeign(foreign, context);
  const neverApplied = applied.secrets.size === 0;
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
 * Without a record of sent values, masked values prove nothing, and neither does a list that may hide
 * secrets: the service may already have our values, or newer ones.
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

/** Merge sends other people's secrets back, which needs their values; if they are masked, only a person can help. */
function guardForeign(
  foreign: readonly ObservedSecret[],
  { ownership, secretsPlain, visibility }: SecretsContext,
): Held | undefined {
  const list = listed(namesOf(foreign));
  if (ownership === 'Guarded') {
    const message = `secrets are not sent: the service also lists ${list}; set secretsOwnership to Exclusive to drop them or to Merge to keep them`;
    return { reason: 'UnmanagedSecretsPresent', message };
  }
  if (secretsPlain && sendable(foreign).length === foreign.length) return undefined;
  if (secretsPlain || visibility === 'Masked' || visibility === 'NamesOnly') {
    const message = `secrets are not sent: the service also lists ${list} and masks values, so they cannot be sent back; add them, or set secretsOwnership to Exclusive to drop them`;
    return { reason: 'UnmanagedSecretsPresent', message };
  }
  return {
    reason: 'SecretVisibilityUnproven',
    message: `secrets are not sent: ${list} exist at the service, which has not shown their values, so they cannot be sent back`,
  };
}
