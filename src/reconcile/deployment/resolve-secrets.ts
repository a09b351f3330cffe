import { hasControl } from '../../api/control-names.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { DesiredSecrets, ReadReference } from '../../model/desired/desired-deployment.ts';
import { DIGEST_KEY_SECRET } from '../../model/connection/connection.ts';
import { FailureError } from '../../model/connection/failure.ts';
import { SecretValue } from '../../base/secret-value.ts';
import type { DataObject, SecretReader } from '../../ports/stores/secret-reader.ts';

type KeyReference = { readonly name: string; readonly key: string; readonly optional?: boolean };
type ValueFrom = { readonly secretKeyRef?: KeyReference; readonly configMapKeyRef?: KeyReference };
type Source = { readonly kind: 'Secret' | 'ConfigMap'; readonly name: string; readonly optional: boolean };

/** The number of digests that a status can contain. */
const MOST_SECRETS = 256;

/**
 * The size of the largest Secret. A body contains all of it, and the escapes of some characters take six times as
 * much.
 */
const MOST_KIB = 1024;
const MOST_BYTES = MOST_KIB * 1024;

/**
 * Returns the secrets that a resource declares, with values read now. `secrets` wins over `secretsFrom`, a later
 * `secretsFrom` over an earlier one. Refuses a value that is not UTF-8 as InvalidSpec, and values that are too large
 * together.
 */
export async function resolveSecrets(
  resource: DeploymentResource,
  reader: SecretReader,
): Promise<DesiredSecrets> {
  const { spec } = resource;
  if (spec.secrets === undefined && spec.secretsFrom === undefined) return { kind: 'unmanaged' };
  const collected = new Collected(resource, reader);
  for (const from of spec.secretsFrom ?? []) await collected.addAll(from);
  for (const secret of spec.secrets ?? []) {
    if (secret.value !== undefined) collected.put(secret.name, entryOf(secret.value));
    else if (secret.valueFrom !== undefined) await collected.addOne(secret.name, secret.valueFrom);
  }
  if (collected.missing.length > 0)
    return { kind: 'missing', what: collected.missing, values: collected.values };
  return { kind: 'resolved', values: collected.values, references: [...collected.references.values()] };
}

/** The part of an object that is kept until all secrets of the resource are resolved. */
interface Taken {
  readonly source: Source;
  readonly data: ReadonlyMap<string, Entry>;
}

type Entry = DataObject['data'] extends ReadonlyMap<string, infer V> ? V : never;

/** A value and how it is stored, which gives its length without a copy. */
type Measured = Pick<Entry, 'value' | 'bytes'>;

/** Collects values. Reads every object once per pass, and keeps only the used values. */
class Collected {
  readonly values = new Map<string, SecretValue>();
  readonly references = new Map<string, ReadReference>();
  readonly missing: string[] = [];
  readonly #objects = new Map<string, Taken | undefined>();
  readonly #namespace: string;
  readonly #reader: SecretReader;
  readonly #keys: ReadonlyMap<string, TakenKeys>;
  readonly #lengths = new Map<string, number>();
  #bytes = 0;

  constructor({ metadata, spec }: DeploymentResource, reader: SecretReader) {
    this.#namespace = metadata.namespace ?? '';
    this.#reader = reader;
    this.#keys = takenKeys(spec);
  }

  /**
   * Adds one value under one name. Throws a FailureError (InvalidSpec) if all values together are too large: one
   * value may have many names.
   */
  put(name: string, { value, bytes: { length } }: Measured): void {
    this.#bytes += length - (this.#lengths.get(name) ?? 0);
    if (this.#bytes > MOST_BYTES)
      throw invalid(
        `spec.secrets and spec.secretsFrom give more than ${MOST_KIB.toLocaleString('en-US')} KiB of values, the most that a resource may have`,
      );
    // Checks this at once: many entries that take many keys each would yield hundreds of thousands of names.
    if (!this.values.has(name) && this.values.size === MOST_SECRETS)
      throw invalid(
        `spec.secrets and spec.secretsFrom give more than ${MOST_SECRETS} secrets, the most that can be remembered`,
      );
    this.values.set(name, value);
    this.#lengths.set(name, length);
  }

  /** Adds every key of a Secret, with a prefix before each name. */
  async addAll(from: NonNullable<DeploymentResource['spec']['secretsFrom']>[number]): Promise<void> {
    const source: Source = { kind: 'Secret', name: from.secretRef.name, optional: false };
    const object = await this.#object(source);
    if (object === undefined) return this.#absent(source, `${source.kind} ${source.name}`);
    for (const key of [...object.data.keys()].toSorted()) {
      if (hasControl(key)) throw oddKey(source);
      this.put(`${from.prefix ?? ''}${key}`, text(object, key));
    }
  }

  /** Adds one key under one name. */
  async addOne(name: string, from: ValueFrom): Promise<void> {
    const { source, key } = keyOf(from) ?? {};
    if (source === undefined || key === undefined) return;
    const object = await this.#object(source);
    if (object === undefined) return this.#absent(source, `${source.kind} ${source.name}`);
    if (!object.data.has(key)) return this.#absent(source, `key ${key} of ${source.kind} ${source.name}`);
    this.put(name, text(object, key));
  }

  #absent(source: Source, what: string): void {
    if (!source.optional && !this.missing.includes(what)) this.missing.push(what);
  }

  async #object(source: Source): Promise<Taken | undefined> {
    const { kind, name } = source;
    if (kind === 'Secret' && name === DIGEST_KEY_SECRET) throw ofTheController();
    const id = idOf(source);
    if (this.#objects.has(id)) return this.#objects.get(id);
    const object = await this.#reader.read({ kind, namespace: this.#namespace, name });
    const taken = object && { source, data: onlyTaken(object.data, this.#keys.get(id)) };
    this.#objects.set(id, taken);
    if (object !== undefined) {
      this.references.set(id, { kind, name, uid: object.uid, resourceVersion: object.resourceVersion });
    }
    return taken;
  }
}

/** The keys that a resource takes from one object. */
type TakenKeys = 'all' | ReadonlySet<string>;

function takenKeys({
  secrets = [],
  secretsFrom = [],
}: DeploymentResource['spec']): ReadonlyMap<string, TakenKeys> {
  const whole = new Set(secretsFrom.map(({ secretRef }) => idOf({ kind: 'Secret', name: secretRef.name })));
  const keys = new Map<string, Set<string>>();
  for (const { valueFrom } of secrets) {
    const taken = valueFrom && keyOf(valueFrom);
    if (taken === undefined) continue;
    const id = idOf(taken.source);
    keys.set(id, (keys.get(id) ?? new Set()).add(taken.key));
  }
  return new Map<string, TakenKeys>([...keys, ...Array.from(whole, (id) => [id, 'all'] as const)]);
}

function onlyTaken(data: DataObject['data'], keys: TakenKeys = new Set()): Taken['data'] {
  return keys === 'all' ? data : new Map([...data].filter(([key]) => keys.has(key)));
}

function idOf({ kind, name }: Pick<Source, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** Returns a value that the spec itself contains. */
function entryOf(value: string): Measured {
  return { value: new SecretValue(value), bytes: new TextEncoder().encode(value) };
}

/**
 * Makes the error for the Secret of the digest key: the service would receive its values, and with the key it could
 * guess every digest in a status.
 */
function ofTheController(): FailureError {
  return invalid(`the spec names Secret ${DIGEST_KEY_SECRET}, which belongs to the controller alone`);
}

/** Makes the error for a key that an API server does not allow; a file of manifests may contain one. */
function oddKey({ kind, name }: Source): FailureError {
  return invalid(`a key of ${kind} ${name} has a control character, such as a line end`);
}

function invalid(message: string): FailureError {
  return new FailureError(message, { kind: 'terminal', reason: 'InvalidSpec', sent: 'no' });
}

function keyOf({
  secretKeyRef,
  configMapKeyRef,
}: ValueFrom): { readonly source: Source; readonly key: string } | undefined {
  const reference = secretKeyRef ?? configMapKeyRef;
  if (reference === undefined) return undefined;
  const { name, key, optional = false } = reference;
  return { source: { kind: secretKeyRef === undefined ? 'ConfigMap' : 'Secret', name, optional }, key };
}

function text({ source: { kind, name }, data }: Taken, key: string): Entry {
  const entry = data.get(key);
  if (entry?.utf8 === true) return entry;
  throw invalid(`key ${key} of ${kind} ${name} is not UTF-8 text, which a secret value must be`);
}
