import type { ConnectionSettings } from './connection.ts';
import { MARK, type Redact, redactorOf, SHOWN_WHOLE, statusRedactorOf } from '../redaction/redact.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** The parts of a connection that contain its credentials. */
export type WithCredentials = Pick<ConnectionSettings, 'headers' | 'proxy'>;

/** The shortest word of a header that counts as a secret; shorter words, such as Bearer, name a scheme. */
const SHORTEST_TOKEN = 8;

/** Matches a credential after the name of a scheme: it is a secret, however short. */
const SHORT_CREDENTIAL = /^[A-Za-z][A-Za-z0-9-]* +(\S{1,7})$/;

/** A limit above the length of any text in an answer, in bytes. */
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

/** Returns the login for the proxy of a connection, which the service never receives. */
export function proxySecrets({ proxy }: Pick<ConnectionSettings, 'proxy'>): readonly SecretValue[] {
  return proxy?.login === undefined ? [] : [proxy.login.username, proxy.login.password];
}

/**
 * Returns a redactor that makes a text of the service displayable: short, in one line, and without the credentials of
 * the connection.
 */
export function connectionRedactor(settings: WithCredentials): Redact {
  return statusRedactorOf(connectionSecrets(settings));
}

/** Returns a redactor that only hides the credentials of a connection; a text without them stays unchanged. */
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
  // `atob` throws for this length, which no encoded text has.
  if (encoded === undefined || encoded.length % 4 === 1) return [];
  const login = utf8(atob(encoded));
  const colon = login.indexOf(':');
  return colon === -1 ? [] : [login.slice(colon + 1)];
}
