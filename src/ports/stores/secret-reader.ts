import type { SecretValue } from '../../base/secret-value.ts';

/** A Secret or ConfigMap. */
export interface DataObjectName {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** A Secret or ConfigMap as read: its values, and which version of it that was. */
export interface DataObject {
  readonly name: DataObjectName;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Values as they are stored, decoded from base64 where the kind encodes them. */
  readonly data: ReadonlyMap<
    string,
    { readonly bytes: Uint8Array; readonly value: SecretValue; readonly utf8: boolean }
  >;
}

/** Reads Secrets and ConfigMaps when they are needed; no value is kept. */
export interface SecretReader {
  /**
   * The object, or undefined when there is none. Throws a FailureError of kind transient: SecretMissing where it may not
   * be read.
   */
  read(name: DataObjectName): Promise<DataObject | undefined>;
}
