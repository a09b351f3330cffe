import type { SecretValue } from '../../base/secret-value.ts';

/** The name of a Secret or ConfigMap. */
export interface DataObjectName {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** The values of a Secret or ConfigMap, and the version that was read. */
export interface DataObject {
  readonly name: DataObjectName;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The stored values, decoded from base64 if the kind encodes them. */
  readonly data: ReadonlyMap<
    string,
    { readonly bytes: Uint8Array; readonly value: SecretValue; readonly utf8: boolean }
  >;
}

/** Reads Secrets and ConfigMaps when they are needed. Keeps no values. */
export interface SecretReader {
  /**
   * Returns the object, or undefined if it does not exist. Throws a FailureError of kind transient (SecretMissing) if
   * it may not be read.
   */
  read(name: DataObjectName): Promise<DataObject | undefined>;
}
