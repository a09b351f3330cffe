import type { DeploymentStatus } from '../api/deployment.ts';
import { canonicalText } from './canonical.ts';
import type { DesiredField, DesiredSecrets, ReadReference } from './desired.ts';
import type { Json } from './json.ts';
import { rememberedSecrets } from './remembered-secrets.ts';
import type { SecretValue } from './secret.ts';

/** Makes keyed digests; see ports/digester.ts, which implements it. */
export interface Digests {
  /** `v1:<key id>`, so that digests made with a lost key are recognised. */
  readonly keyID: string;
  /** 22 characters. */
  digest(text: string): string;
  /** 64 hexadecimal characters. */
  hex(text: string): string;
  /** 22 characters that need no key and outlive it: only for what may be known. */
  fingerprint(text: string): string;
}

/** What was applied (`a`) and what was then shown (`b`, absent = the service did not show it), as digests. */
export interface Baseline {
  readonly a: string;
  readonly b?: string;
}

/** `status.applied`, in the form in which decisions read it. */
export interface Applied {
  /** Absent when nothing was ever applied, or when what was remembered cannot be used. */
  readonly generation?: number;
  readonly fields: ReadonlyMap<string, Baseline>;
  readonly secrets: ReadonlyMap<string, string>;
  /**
   * True when the digests were made with another key although the spec and what it references are as they were:
   * everything is taken as applied and digested again (H56).
   */
  readonly keyLost: boolean;
}

/** The digest of a field's value under its shape. Path and value are digested together. */
export function fieldDigest(desired: DesiredField, value: Json | undefined, digests: Digests): string {
  return digests.digest(`${desired.field.path}\n${canonicalText(value, desired.field.shape)}`);
}

/** The digest of a secret's value, bound to its name. */
export function secretDigest(name: string, value: SecretValue, digests: Digests): string {
  return digests.digest(`secrets/${name}\n${value.reveal()}`);
}

/** Which versions of Secrets and ConfigMaps were read, in one text that outlives the key. */
export function referencesFingerprint(references: readonly ReadReference[], digests: Digests): string {
  const lines = references.map((r) => `${r.kind}/${r.name} ${r.uid}/${r.resourceVersion}`);
  return digests.fingerprint(lines.toSorted().join('\n'));
}

/**
 * Reads `status.applied`; digests of an unknown key are usable only where nothing else changed since. `shown` are names
 * of secrets that the service lists.
 */
export function readApplied(
  status: DeploymentStatus | undefined,
  generation: number,
  secrets: DesiredSecrets,
  shown: readonly string[],
  digests: Digests,
): Applied {
  const applied = status?.applied;
  if (applied === undefined) return NOTHING_APPLIED;
  if (applied.key !== digests.keyID) {
    const untouched =
      applied.generation === generation && sameReferences(applied.references, secrets, digests);
    return untouched ? { ...NOTHING_APPLIED, generation, keyLost: true } : NOTHING_APPLIED;
  }
  return {
    ...(applied.generation === undefined ? {} : { generation: applied.generation }),
    fields: new Map(
      (applied.fields ?? []).map(({ path, a, b }) => [path, b === undefined ? { a } : { a, b }]),
    ),
    secrets: rememberedSecrets(applied.secrets, [...namesOf(secrets), ...shown], digests),
    keyLost: false,
  };
}

const NOTHING_APPLIED: Applied = {
  fields: new Map(),
  secrets: new Map(),
  keyLost: false,
};

function namesOf(secrets: DesiredSecrets): Iterable<string> {
  return secrets.kind === 'unmanaged' ? [] : secrets.values.keys();
}

function sameReferences(stored: string | undefined, secrets: DesiredSecrets, digests: Digests): boolean {
  if (secrets.kind !== 'resolved') return secrets.kind === 'unmanaged' && stored === undefined;
  const now =
    secrets.references.length === 0 ? undefined : referencesFingerprint(secrets.references, digests);
  return stored === now;
}
