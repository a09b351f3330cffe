import type { ConnectionResource } from '../../api/connection.ts';
import { ConnectionError } from './failure.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/** One key of a Secret or ConfigMap that a connection names. */
export interface DataKey {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly key: string;
}

/** Returns the value of a key; undefined if the object or the key is absent. */
export type DataLookup = (key: DataKey) => SecretValue | undefined;

type Authorities = NonNullable<NonNullable<ConnectionResource['spec']['tls']>['caBundle']>;

/** Returns the certificate authorities of a spec, in PEM form. Throws a ConnectionError (SecretMissing). */
export function authorities(
  { secretKeyRef, configMapKeyRef }: Authorities = {},
  lookup: DataLookup,
): { readonly ca?: string } {
  if (secretKeyRef !== undefined) return { ca: required('Secret', secretKeyRef, lookup).reveal() };
  if (configMapKeyRef !== undefined) return { ca: required('ConfigMap', configMapKeyRef, lookup).reveal() };
  return {};
}

/** Returns the value of a key. Throws a ConnectionError (SecretMissing) if it does not exist. */
export function required(
  kind: DataKey['kind'],
  { name, key }: { readonly name: string; readonly key: string },
  lookup: DataLookup,
): SecretValue {
  const value = lookup({ kind, name, key });
  if (value !== undefined) return value;
  throw new ConnectionError(`key ${key} of ${kind} ${name} does not exist`, {
    reason: 'SecretMissing',
    sent: 'no',
  });
}

/** Returns the error for an unusable spec. */
export function refused(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'ProtocolError', sent: 'no' });
}

/** The longest credential, in bytes; few servers accept that much for all headers together. */
const LONGEST_CREDENTIAL = 16 * 1024;

/** Throws a ConnectionError (ProtocolError) for a value that is too long to search for in every text of every pass. */
export function refuseTooLong(what: string, value: SecretValue): void {
  if (value.reveal().length <= LONGEST_CREDENTIAL) return;
  throw refused(
    `${what} is longer than ${LONGEST_CREDENTIAL.toLocaleString('en-US')} characters, the most that is sent`,
  );
}
