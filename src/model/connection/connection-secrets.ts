import type { ConnectionSettings } from './connection.ts';
import { MARK, type Redact, redactorOf, SHOWN_WHOLE, statusRedactorOf } from '../redaction/redact.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** The parts of a connection that hold its credentials. */
export type WithCredentials = Pick<ConnectionSettings, 'headers' | 'proxy'>;

/** Shorter words of a header, such as Bearer, name a scheme and are no secret. */
const SHORTEST_TOKEN = 8;

/** The text behind the name of a scheme is a credential, however short. */
const SHORT_CREDENTIAL = /^[A-Za-z][A-Za-z0-9-]* +(\S{1,7})$/;

/** More than any text of an answer, in bytes. */
const ANY_LENGTH = 64 * 1024 * 1024;

/**
 * Returns the secrets of a connection: each secret value of its headers, the words of these values (a service
 * may repeat the token of `Bearer TOKEN` or of `session=TOKEN; path=/` alone), the password of a Basic login,
 * and the login for its proxy.
 */
export function connectionSecrets(settings: WithCredentials): readonly SecretValue[] {
  const ofHeaders = settings.headers
    .filter(({ isPublic }) => isPublic !== true)
    .flatMap(({ value }) => [value, ...partsOf(value.reveal())]);
  return [...ofHeaders, ...proxySecrets(settings)];
}

/** The login for the proxy of a connection, which the service never gets. */
export function proxySecrets({ proxy }: Pick<ConnectionSettings, 'proxy'>): readonly SecretValue[] {
  return proxy?.login === undefined ? [] : [proxy.login.username, proxy.login.password];
}

/** Makes a text of the service fit to be shown: short, in one line, and without the credentials of its connection. */
export function connectionRedactor(settings: WithCredentials): Redact {
  return statusRedactorOf(connectionSecrets(settings));
}

/** Hides the credentials of a connection; a text that repeats none of them stays unchanged. */
export function connectionHider(settings: WithCredentials): Redact {
  const secrets = connectionSecrets(settings);
  if (secrets.length === 0) return SHOWN_WHOLE;
  const redact = redactorOf(secrets, ANY_LENGTH);
  return (text) => {
    const shown = redact(text);
    return shown.includes(MARK) ? shown : text;
  };
}

function partsOf(value: string): readonly SecretValue[] {
  const words = value
    .split(/[\s;,]+/)
    .flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    .filter((word) => word !== value && word.length >= SHORTEST_TOKEN);
  const [, short] = SHORT_CREDENTIAL.exec(value) ?? [];
  const parts = [...words, ...passwordsOf(value), ...(short === undefined ? [] : [short])];
  return parts.map((part) => new SecretValue(part));
}

function utf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

function passwordsOf(value: string): readonly string[] {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+)={0,2}$/i.exec(value) ?? [];
  // `atob` throws for this length, which no text encodes to.
  if (encoded === undefined || encoded.length % 4 === 1) return [];
  const login = utf8(atob(encoded));
  const colon = login.indexOf(':');
  return colon === -1 ? [] : [login.slice(colon + 1)];
}
