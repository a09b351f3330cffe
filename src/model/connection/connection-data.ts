import type { ConnectionResource } from '../../api/connection.ts';
import { ConnectionError } from './failure.ts';
import type { SecretValue } from '../../base/secret-value.ts';

/** One key of a Secret or ConfigMap that a connection names. */
export interface DataKey {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly key: string;
}

/** Gives the value of a key, or undefined where the object or the key is absent. */
export type DataLookup = (key: DataKey) => SecretValue | undefined;

type Authorities = NonNullable<NonNullable<ConnectionResource['spec']['tls']>['caBundle']>;

/** Authorities in PEM form from where a spec says they are. Throws a ConnectionError (SecretMissing). */
export function authorities(
  { secretKeyRef, configMapKeyRef }: Authorities = {},
  lookup: DataLookup,
): { readonly ca?: string } {
  if (secretKeyRef !== undefined) return { ca: required('Secret', secretKeyRef, lookup).reveal() };
  if (configMapKeyRef !== undefined) return { ca: required('ConfigMap', configMapKeyRef, lookup).reveal() };
  return {};
}

/** The value of a key. Throws a ConnectionError (SecretMissing) where it does not exist. */
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

/** Makes the error of an unusable spec. */
export function refused(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'ProtocolError', sent: 'no' });
}

/** Few servers take as much for all headers together. */
const LONGEST_CREDENTIAL = 16 * 1024;

/** Throws a ConnectionError (ProtocolError) for a value that is too long to be looked for in every text of every pass. */
export function refuseTooLong(what: string, value: SecretValue): void {
  if (value.reveal().length <= LONGEST_CREDENTIAL) return;
  throw refused(
    `${what} is longer than ${LONGEST_CREDENTIAL.toLocaleString('en-US')} characters, the most that is sent`,
  );
}
