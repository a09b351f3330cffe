import { ConnectionError } from '../model/failure.ts';

/** Most of what was bound is missing: the connection as a whole is in doubt (H52). */
export function massAbsence(): ConnectionError {
  const message =
    'most of the bound deployments are missing from the list at once; is the credential that of another tenant?';
  return new ConnectionError(message, { reason: 'MassAbsence', sent: 'no' });
}
