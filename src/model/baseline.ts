import type { DeploymentStatus } from '../api/deployment.ts';
import { canonicalText } from './canonical.ts';
import type { DesiredField, DesiredSecrets } from './desired.ts';
import type { Json } from './json.ts';
import type { SecretValue } from './secret.ts';

/** Makes keyed digests; see ports/digester.ts, which implements it. */
export interface Digests {
  /** `v1:<key id>`, so that digests made with a lost key are recognised. */
  readonly keyID: string;
  /** 22 characters. */
  digest(text: string): string;
  /** 64 hexadecimal characters. */
  hex(text: string): string;
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

/** Reads `status.applied`; digests of an unknown key are usable only where nothing else changed since. */
export function readApplied(
  status: DeploymentStatus | undefined,
  generation: number,
  secrets: DesiredSecrets,
  digests: Digests,
): Applied {
  const applied = status?.applied;
  if (applied === undefined) return NOTHING_APPLIED;
  if (applied.key !== digests.keyID) {
    const untouched = applied.generation === generation && sameReferences(applied.references ?? [], secrets);
    return untouched ? { ...NOTHING_APPLIED, generation, keyLost: true } : NOTHING_APPLIED;
  }
  return {
    ...(applied.generation === undefined ? {} : { generation: applied.generation }),
    fields: new Map(
      (applied.fields ?? []).map(({ path, a, b }) => [path, b === undefined ? { a } : { a, b }]),
    ),
    secrets: new Map(Object.entries(applied.secrets ?? {})),
    keyLost: false,
  };
}

const NOTHING_APPLIED: Applied = {
  fields: new Map(),
  secrets: new Map(),
  keyLost: false,
};

type StoredReferences = NonNullable<NonNullable<DeploymentStatus['applied']>['references']>;

function sameReferences(stored: StoredReferences, secrets: DesiredSecrets): boolean {
  if (secrets.kind !== 'resolved') return secrets.kind === 'unmanaged' && stored.length === 0;
  const versions = new Map(stored.map((r) => [`${r.kind}/${r.name}`, `${r.uid}/${r.resourceVersion}`]));
  return (
    versions.size === secrets.references.length &&
    secrets.references.every((r) => versions.get(`${r.kind}/${r.name}`) === `${r.uid}/${r.resourceVersion}`)
  );
}
