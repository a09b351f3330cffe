import { expect, test } from 'vitest';
import { ConnectionNotReadyError } from '../../../src/service/connection/connection-pool.ts';

const TROUBLE = {
  reason: 'SecretMissing',
  message: 'key token of Secret internal-name does not exist',
} as const;

test('deployments behind a ClusterConnection show the reason of its trouble and not its message', () => {
  const shared = new ConnectionNotReadyError(
    { kind: 'ClusterConnection', namespace: '', name: 'default' },
    TROUBLE,
  );
  expect(shared.message).toBe(
    'ClusterConnection default cannot be used: SecretMissing; its status says more',
  );
  const own = new ConnectionNotReadyError({ kind: 'Connection', namespace: 'a', name: 'default' }, TROUBLE);
  expect(own.message).toBe(`Connection default cannot be used: SecretMissing: ${TROUBLE.message}`);
});
