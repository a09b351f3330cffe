import { hasControl } from '../api/control-names.ts';
import type { DeploymentResource } from '../api/deployment.ts';
import type { DesiredSecrets, ReadReference } from '../model/desired.ts';
import { DIGEST_KEY_SECRET } from '../model/digest-key-secret.ts';
import { FailureError } from '../model/failure.ts';
import { SecretValue } from '../model/secret.ts';
import type { DataObject, SecretReader } from '../ports/secret-reader.ts';

type KeyReference = { readonly name: string; readonly key: string; readonly optional?: boolean };
type Source = { readonly kind: 'Secret' | 'ConfigMap'; readonly name: string; readonly optional: boolean };

/** As many as a status remembers digests of. */
const MOST_SECRETS = 256;

/**
 * The secrets a resource declares, with values read now. `secrets` wins over `secretsFrom`, a later `secretsFrom`
 * over an earlier. A value that is not UTF-8 is refused as InvalidSpec.
 */
export async function resolveSecrets(
  resource: DeploymentResource,
  reader: SecretReader,
): Promise<DesiredSecrets> {
  const { spec } = resource;
  if (spec.secrets === undefined && spec.secretsFrom === undefined) return { kind: 'unmanaged' };
  const collected = new Collected(resource.metadata.namespace ?? '', reader);
  for (const from of spec.secretsFrom ?? []) await collected.addAll(from);
  for (const secret of spec.secrets ?? []) {
    if (secret.value !== undefined) collected.values.set(secret.name, new SecretValue(secret.value));
    else if (secret.valueFrom !== undefined) await collected.addOne(secret.name, secret.valueFrom);
  }
  if (collected.missing.length > 0)
    return { kind: 'missing', what: collected.missing, values: collected.values };
  if (collected.values.size > MOST_SECRETS) {
    const message = `spec.secrets and spec.secretsFrom give ${collected.values.size} secrets; at most ${MOST_SECRETS} can be remembered`;
    throw new FailureError(message, { kind: 'terminal', reason: 'InvalidSpec', sent: 'no' });
  }
  return { kind: 'resolved', values: collected.values, references: [...collected.references.values()] };
}

/** Gathers values; every object is read once per pass. */
class Collected {
  readonly values = new Map<string, SecretValue>();
  readonly references = new Map<string, ReadReference>();
  readonly missing: string[] = [];
  readonly #objects = new Map<string, DataObject | undefined>();
  readonly #namespace: string;
  readonly #reader: SecretReader;

  constructor(namespace: string, reader: SecretReader) {
    this.#namespace = namespace;
    this.#reader = reader;
  }

  /** Every key of a Secret, with a prefix before each name. */
  async addAll(from: NonNullable<DeploymentResource['spec']['secretsFrom']>[number]): Promise<void> {
    const source: Source = { kind: 'Secret', name: from.secretRef.name, optional: false };
    const object = await this.#object(source);
    if (object === undefined) return this.#absent(source, `${source.kind} ${source.name}`);
    for (const key of [...object.data.keys()].toSorted()) {
      if (hasControl(key)) throw oddKey(source);
      this.values.set(`${from.prefix ?? ''}${key}`, text(object, key));
    }
  }

  /** One key under one name. */
  async addOne(
    name: string,
    from: { readonly secretKeyRef?: KeyReference; readonly configMapKeyRef?: KeyReference },
  ): Promise<void> {
    const source = sourceOf('Secret', from.secretKeyRef) ?? sourceOf('ConfigMap', from.configMapKeyRef);
    const key = (from.secretKeyRef ?? from.configMapKeyRef)?.key;
    if (source === undefined || key === undefined) return;
    const object = await this.#object(source);
    if (object === undefined) return this.#absent(source, `${source.kind} ${source.name}`);
    if (!object.data.has(key)) return this.#absent(source, `key ${key} of ${source.kind} ${source.name}`);
    this.values.set(name, text(object, key));
  }

  #absent(source: Source, what: string): void {
    if (!source.optional && !this.missing.includes(what)) this.missing.push(what);
  }

  async #object({ kind, name }: Source): Promise<DataObject | undefined> {
    if (kind === 'Secret' && name === DIGEST_KEY_SECRET) throw ofTheController();
    const id = `${kind}/${name}`;
    if (this.#objects.has(id)) return this.#objects.get(id);
    const object = await this.#reader.read({ kind, namespace: this.#namespace, name });
    this.#objects.set(id, object);
    if (object !== undefined) {
      this.references.set(id, { kind, name, uid: object.uid, resourceVersion: object.resourceVersion });
    }
    return object;
  }
}

/**
 * Refuses the Secret of the digest key: its values would be sent to the service, and with the key every digest in a
 * status could be guessed.
 */
function ofTheController(): FailureError {
  const message = `the spec names Secret ${DIGEST_KEY_SECRET}, which belongs to the controller alone`;
  return new FailureError(message, { kind: 'terminal', reason: 'InvalidSpec', sent: 'no' });
}

/** An API server has no such key; a file of manifests may. */
function oddKey({ kind, name }: Source): FailureError {
  const message = `a key of ${kind} ${name} has a control character, such as a line end`;
  return new FailureError(message, { kind: 'terminal', reason: 'InvalidSpec', sent: 'no' });
}

function sourceOf(
  kind: Source['kind'],
  reference: { readonly name: string; readonly optional?: boolean } | undefined,
): Source | undefined {
  return reference === undefined
    ? undefined
    : { kind, name: reference.name, optional: reference.optional === true };
}

function text(object: DataObject, key: string): SecretValue {
  const entry = object.data.get(key);
  if (entry?.utf8 === true) return entry.value;
  const message = `key ${key} of ${object.name.kind} ${object.name.name} is not UTF-8 text, which a secret value must be`;
  throw new FailureError(message, { kind: 'terminal', reason: 'InvalidSpec', sent: 'no' });
}
