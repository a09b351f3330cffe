import { hasControl } from '../../api/control-names.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ObservedSecret } from '../../model/external/observation.ts';

/** A Kubernetes Secret that a manifest takes values from, without any value. */
export interface SecretSkeleton {
  readonly name: string;
  /** In the order of the names of the secrets. */
  readonly keys: readonly string[];
}

/** The secrets of a deployment as a manifest declares them. */
export interface AdoptedSecrets {
  /** Part of the spec. */
  readonly spec: JsonObject;
  /** Names that it leaves alone. */
  readonly names: readonly string[];
  readonly skeleton?: SecretSkeleton;
}

/** As many entries as the schema of the resource takes, and as long names. */
const MOST_SECRETS = 256;
const LONGEST_NAME = 253;

/**
 * Names of secrets to be told in a comment or, where it is asked for, as references to a Secret that is still to be
 * filled in. A list that cannot be written whole is not written at all: a part of it would hold all of them back.
 */
export function adoptedSecrets(
  observed: readonly ObservedSecret[],
  { name, withSecrets }: { readonly name: string; readonly withSecrets: boolean },
): AdoptedSecrets {
  const names = [...new Set(observed.map((secret) => secret.name))].toSorted();
  const writable = names.length <= MOST_SECRETS && names.every((each) => isWritable(each));
  if (!withSecrets || !writable || names.length === 0) return { spec: {}, names };
  const secretName = `${name}-secrets`;
  const keys = keysFor(names);
  const secrets = names.map((each, index) => ({
    name: each,
    valueFrom: { secretKeyRef: { name: secretName, key: keys[index] ?? each } },
  }));
  return { spec: { secrets }, names: [], skeleton: { name: secretName, keys } };
}

function isWritable(name: string): boolean {
  return name !== '' && Array.from(name).length <= LONGEST_NAME && !hasControl(name);
}

/** Keys that a Secret may have: the names themselves, as far as they are such. */
function keysFor(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  return names.map((name) => {
    const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^\.(?:\.|$)/, '_');
    if (plain === name) return name;
    let key = plain;
    for (let count = 2; taken.has(key); count += 1) key = `${plain.slice(0, LONGEST_NAME - 4)}-${count}`;
    taken.add(key);
    return key;
  });
}
