import type { DeploymentSpec } from '../api/deployment.ts';
import type { SyncedReason } from '../api/condition.ts';
import { type Applied, type Digests, secretDigest } from './baseline.ts';
import type { DesiredSecrets } from './desired.ts';
import { SECRETS_PATH } from './fields.ts';
import type { ObservedDeployment } from './observation.ts';
import type { SecretValue } from './secret.ts';

/** Who may be removed from the list of secrets when we send it (H3). */
export type SecretsOwnership = NonNullable<DeploymentSpec['secretsOwnership']>;

/** What the managed secrets need, and the names a plan may show. */
export interface SecretsJudgement {
  readonly verdict: 'unmanaged' | 'in-sync' | 'first' | 'change' | 'drift' | 'withheld';
  /** Names that are new, changed or gone on our side, or missing at the service; sorted. */
  readonly names: readonly string[];
  readonly withheld?: { readonly reason: SyncedReason; readonly message: string };
  /** Digests of all desired values by name, for the record. */
  readonly digests: ReadonlyMap<string, string>;
}

/** What is known beside the resource itself. */
export interface SecretsContext {
  readonly ownership: SecretsOwnership;
  /** Some deployment of the connection has shown a non-empty list. */
  readonly secretsListed: boolean;
  /** Values are shown exactly as they were sent, proven in this process. */
  readonly secretsPlain: boolean;
  /** A list of secrets was seen to be merged by name: what is left out stays. */
  readonly listsMerge: boolean;
  /** The operator created this deployment, so that an empty list is believed. */
  readonly createdByUs: boolean;
}

/**
 * Compares secrets from our own side with keyed digests, since a shown value may be a mask (2.7); from the
 * service only names are taken, and only from a list that shows any.
 */
export function judgeSecrets(
  desired: DesiredSecrets,
  applied: Applied,
  observed: ObservedDeployment,
  context: SecretsContext,
  digests: Digests,
): SecretsJudgement {
  if (desired.kind === 'unmanaged') return { verdict: 'unmanaged', names: [], digests: new Map() };
  if (desired.kind === 'missing') {
    const message = `not sent until it exists: ${desired.what.join(', ')}`;
    return {
      verdict: 'withheld',
      names: [],
      digests: new Map(),
      withheld: { reason: 'SecretMissing', message },
    };
  }
  const want = new Map(
    [...desired.values].map(([name, value]) => [name, secretDigest(name, value, digests)]),
  );
  if (applied.keyLost) return { verdict: 'in-sync', names: [], digests: want };
  const shown = observed.secrets?.map((secret) => secret.name) ?? [];
  const first = !applied.fields.has(SECRETS_PATH);
  const ours = [
    ...changedNames(want, applied.secrets),
    // A list that is declared for the first time, also an empty one, leaves out what is there (N7).
    ...(first && context.ownership !== 'Merge' ? shown.filter((name) => !want.has(name)) : []),
  ];
  const stuck = ours.length > 0 ? [] : notCleared(want, applied, shown, context);
  if (stuck.length > 0) {
    const message = `the service keeps secrets that the newest list leaves out: ${stuck.slice(0, 10).join(', ')}`;
    return {
      verdict: 'withheld',
      names: stuck,
      digests: want,
      withheld: { reason: 'FieldNotClearable', message },
    };
  }
  const theirs =
    ours.length > 0
      ? []
      : [
          ...driftedNames(want, applied, shown, context.ownership),
          ...(context.secretsPlain ? driftedValues(desired.values, observed) : []),
        ];
  if (ours.length === 0 && theirs.length === 0) return { verdict: 'in-sync', names: [], digests: want };
  const names = [...ours, ...theirs].toSorted();
  const withheld = guard(want, applied, shown, context);
  if (withheld !== undefined) return { verdict: 'withheld', names, digests: want, withheld };
  return { verdict: ours.length === 0 ? 'drift' : first ? 'first' : 'change', names, digests: want };
}

function changedNames(want: ReadonlyMap<string, string>, applied: ReadonlyMap<string, string>): string[] {
  const changed = [...want].filter(([name, digest]) => applied.get(name) !== digest).map(([name]) => name);
  const gone = [...applied.keys()].filter((name) => !want.has(name));
  return [...changed, ...gone];
}

/** Names that stay although the list we sent leaves them out: sending it again would be a loop (H17). */
function notCleared(
  want: ReadonlyMap<string, string>,
  applied: Applied,
  shown: readonly string[],
  { ownership, listsMerge }: SecretsContext,
): readonly string[] {
  if (ownership !== 'Exclusive' || !applied.fields.has(SECRETS_PATH)) return [];
  return want.size === 0 || listsMerge ? shown.filter((name) => !want.has(name)).toSorted() : [];
}

/** Names missing at the service, and under Exclusive names that are not ours; from a list that shows any. */
function driftedNames(
  want: ReadonlyMap<string, string>,
  applied: Applied,
  shown: readonly string[],
  ownership: SecretsOwnership,
): string[] {
  if (shown.length === 0 || applied.fields.get(SECRETS_PATH)?.b === undefined) return [];
  const missing = [...want.keys()].filter((name) => !shown.includes(name));
  const foreign = ownership === 'Exclusive' ? shown.filter((name) => !want.has(name)) : [];
  return [...missing, ...foreign];
}

/** Names whose shown value is not the one we sent; called only where values are shown as they are (H16). */
function driftedValues(
  wanted: ReadonlyMap<string, SecretValue>,
  { secrets = [] }: ObservedDeployment,
): readonly string[] {
  return secrets.flatMap(({ name, value }) => {
    const ours = wanted.get(name);
    return ours === undefined || value === undefined || value.equals(ours) ? [] : [name];
  });
}

/** Refuses to send a list that would lose what we cannot put back. */
function guard(
  want: ReadonlyMap<string, string>,
  applied: Applied,
  shown: readonly string[],
  context: SecretsContext,
): SecretsJudgement['withheld'] {
  if (context.ownership === 'Exclusive') return undefined;
  const foreign = shown.filter((name) => !want.has(name) && !applied.secrets.has(name));
  if (foreign.length > 0) {
    const list = foreign.slice(0, 10).join(', ');
    // Merge sends them back with ours, which needs their real values.
    if (context.ownership === 'Merge' && context.secretsPlain) return undefined;
    return context.ownership === 'Merge'
      ? {
          reason: 'SecretVisibilityUnproven',
          message: `secrets are not sent: ${list} exist there and were not seen to be shown as they are, so they cannot be sent back`,
        }
      : {
          reason: 'UnmanagedSecretsPresent',
          message: `secrets are not sent: the service also lists ${list}; set secretsOwnership to Exclusive to drop them or to Merge to keep them`,
        };
  }
  const neverApplied = applied.secrets.size === 0;
  if (neverApplied && shown.length === 0 && !context.secretsListed && !context.createdByUs) {
    return {
      reason: 'SecretVisibilityUnproven',
      message:
        'secrets are not sent: the service shows an empty list, and it was not seen to list secrets at all; set secretsOwnership to Exclusive to send them',
    };
  }
  return undefined;
}
