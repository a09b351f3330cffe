import { expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const SECRETS = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }];
const GIVEN = {
  deployments: [
    { name: AGENT },
    { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
  ],
  semantics: { secretsEcho: 'stars' as const },
};

/** Restores a backup: the resource with its status and the Secret, each with a new uid and generation 1. */
async function restored(w: World, token: string): Promise<void> {
  w.putSecret('agent-secrets', { token: 'the-token-of-the-agent' });
  w.apply({ secrets: SECRETS });
  await w.pass(60);
  w.apply({ secrets: SECRETS, sourceConfig: { buildCommand: 'make' } });
  await w.pass(120);
  expect(w.patches()).toHaveLength(2);
  const { spec, status, metadata } = w.resource();
  expect(metadata.generation).toBe(2);
  w.kill();
  w.store.remove(keyOf(AGENT));
  w.removeSecret('agent-secrets');
  w.putSecret('agent-secrets', { token });
  w.apply(spec);
  w.store.overwriteStatus(keyOf(AGENT), status);
  expect(w.resource().metadata).toMatchObject({ generation: 1 });
  expect(w.resource().metadata.uid).not.toBe(metadata.uid);
  w.start();
  await w.pass(300);
}

scenario('a resource that is restored with its status and a new uid is not sent again', GIVEN, async (w) => {
  await restored(w, 'the-token-of-the-agent');
  expect(w.patches()).toHaveLength(2);
  expect(w.state()).toBe('True/InSync True/Active');
  expect(w.status().observedGeneration).toBe(1);
});

scenario('an edit after that is a new one, though its generation existed before', GIVEN, async (w) => {
  await restored(w, 'the-token-of-the-agent');
  w.apply({ secrets: SECRETS, sourceConfig: { buildCommand: 'make test' } });
  expect(w.resource().metadata).toMatchObject({ generation: 2 });
  const writes = w.statusWrites.length;
  await w.pass(120);
  expect(w.bodies().slice(2)).toEqual([{ source_config: { build_command: 'make test' } }]);
  const [announced] = w.statusWrites.slice(writes);
  expect(announced?.after.observedGeneration).toBe(2);
  expect(announced?.after.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'Unknown' }),
  );
  expect(w.state()).toBe('True/InSync True/Active');
  expect(w.status()).toMatchObject({ observedGeneration: 2, applied: { generation: 2 } });
});

scenario('the restored resource does not lose changes made since the backup', GIVEN, async (w) => {
  await restored(w, 'the-token-of-tomorrow');
  expect(w.bodies().slice(2)).toEqual([{ secrets: [{ name: 'TOKEN', value: 'the-token-of-tomorrow' }] }]);
});
