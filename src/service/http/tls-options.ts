import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { defined } from '../../base/defined.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import { ConnectionError } from '../../model/connection/failure.ts';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * Returns the TLS options of a connection for its sockets. Throws a ConnectionError (TLSFailed) for an invalid
 * certificate or key: the platform ignores a bad bundle silently, and then trusts no certificate.
 */
export function tlsOptions({
  ca,
  certificate,
  key,
}: ConnectionSettings['tls']): Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> {
  const leaf =
    certificate === undefined
      ? undefined
      : certificatesIn(certificate, 'tls.crt of spec.tls.clientCertificate')[0];
  const secret = key === undefined ? undefined : privateKey(key.reveal());
  if (leaf !== undefined && secret !== undefined && !leaf.checkPrivateKey(secret))
    throw refused(
      'tls.key of spec.tls.clientCertificate does not belong to the first certificate of tls.crt',
    );
  return {
    ...authoritiesIn(ca, 'spec.tls.caBundle'),
    ...defined({ cert: certificate, key: key?.reveal() }),
  };
}

/**
 * Returns the authorities to trust, in PEM form, if some are given. Throws a ConnectionError (TLSFailed),
 * which names the field, for an invalid certificate.
 */
export function authoritiesIn(ca: string | undefined, where: string): Pick<ConnectionOptions, 'ca'> {
  if (ca === undefined) return {};
  certificatesIn(ca, where);
  return { ca };
}

function certificatesIn(text: string, where: string): readonly X509Certificate[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw refused(`${where} holds no certificate in PEM form`);
  return blocks.map((block, n) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw refused(`certificate ${n + 1} in ${where} cannot be read`);
    }
  });
}

function privateKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    // The message of OpenSSL could quote the key.
    throw refused('tls.key of spec.tls.clientCertificate is no private key in PEM form without a passphrase');
  }
}

function refused(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'TLSFailed', sent: 'no' });
}
