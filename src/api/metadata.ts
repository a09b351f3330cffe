import { sharedText } from '../base/shared-text.ts';

/** The parts of Kubernetes object metadata that this project reads or writes. */
export interface ObjectMeta {
  readonly name: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Counts changes of the spec. The API server or the directory store increases it. */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A value that is never changed in place. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** The API group of every kind of this project. */
export const GROUP = 'dms-operator.dev';

/** The only served version. */
export const VERSION = 'v1alpha1';

/** The `apiVersion` of every manifest. */
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Identifies a resource in the queues. `namespace` is '' for cluster-scoped kinds. */
export interface Key {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns one string for a key, for maps and log lines: `Kind/namespace/name`. */
export function keyText(key: Key): string {
  return sharedText(`${key.kind}/${key.namespace}/${key.name}`);
}

/** Returns the key of an object that states its kind. */
export function keyOf(object: { readonly kind: string; readonly metadata: ObjectMeta }): Key {
  return { kind: object.kind, namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}
