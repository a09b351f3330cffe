import { SecretValue } from '../../../src/base/secret-value.ts';
import type { DataObject, DataObjectName, SecretReader } from '../../../src/ports/stores/secret-reader.ts';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';

/** Secrets and ConfigMaps in memory. Reads are counted, and each can be made to fail. */
export class MemorySecrets implements SecretReader {
  readonly #objects = new Map<string, DataObject>();
  #version = 0;
  #reads = 0;
  /** If set, every read fails with its result. */
  failure: ((name: DataObjectName) => Error | undefined) | undefined;

  /** Creates the object or replaces its data. A value may be bytes if it is not UTF-8. */
  put(name: DataObjectName, data: Readonly<Record<string, string | Uint8Array>>): void {
    this.#version += 1;
    const known = this.#objects.get(textOf(name));
    this.#objects.set(textOf(name), {
      name,
      uid: known?.uid ?? uuidFrom(`${textOf(name)}#${this.#version}`),
      resourceVersion: String(this.#version),
      data: new Map(Object.entries(data).map(([key, value]) => [key, entryOf(value)])),
    });
  }

  /** Deletes the object. */
  remove(name: DataObjectName): void {
    this.#objects.delete(textOf(name));
  }

  /** The number of reads. */
  get reads(): number {
    return this.#reads;
  }

  async read(name: DataObjectName): Promise<DataObject | undefined> {
    this.#reads += 1;
    const failure = this.failure?.(name);
    if (failure !== undefined) throw failure;
    return this.#objects.get(textOf(name));
  }
}

function textOf(name: DataObjectName): string {
  return `${name.kind}/${name.namespace}/${name.name}`;
}

function entryOf(value: string | Uint8Array): { bytes: Uint8Array; value: SecretValue; utf8: boolean } {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const utf8 = Buffer.from(text, 'utf8').equals(Buffer.from(bytes));
  return { bytes, value: new SecretValue(text), utf8 };
}
