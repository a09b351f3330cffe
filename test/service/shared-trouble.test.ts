import { expect, test } from 'vitest';
import { ConnectionNotReadyError } from '../../src/service/connection-pool.ts';

const WHY = 'Unreachable: GET was answered with 500: env S=deploy-secret-9876 is bad';

test('deployments behind a ClusterConnection show the reason of its trouble and not what the service said', () => {
  const shared = new ConnectionNotReadyError(
    { kind: 'ClusterConnection', namespace: '', name: 'default' },
    WHY,
  );
  expect(shared.message).toBe('ClusterConnection default cannot be used: Unreachable; its status says more');
  const own = new ConnectionNotReadyError({ kind: 'Connection', namespace: 'a', name: 'default' }, WHY);
  expect(own.message).toBe(`Connection default cannot be used: ${WHY}`);
});
