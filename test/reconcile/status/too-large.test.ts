import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const WHY = 'the resource has 460,002 fields and entries, more than the 20,000 that are read';
const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
};

const deletions = (w: World): number => w.service.log.count('delete');

/** Makes the resource grow beyond the read limit. Only its identity remains. */
function grow(w: World): void {
  w.store.edit(keyOf(AGENT), (resource) => {
    const { source, deletionPolicy } = resource.spec;
    const spec: DeploymentSpec = { source, ...(deletionPolicy === undefined ? {} : { deletionPolicy }) };
    return { ...resource, spec, tooLarge: WHY };
  });
}

async function rest(w: World, deletionPolicy?: 'Delete'): Promise<void> {
  w.apply({ ...IMAGE, ...(deletionPolicy === undefined ? {} : { deletionPolicy }) });
  await w.pass(60);
  expect(w.state()).toBe('True/InSync True/Active');
}

describe('a resource above the read limit', () => {
  scenario('says so, sends nothing, and stays bound as it was', GIVEN, async (w) => {
    await rest(w);
    const before = w.status();
    grow(w);
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:other');
    await w.pass(600);
    expect(w.state()).toMatch(/^False\/InvalidSpec /);
    expect(w.message()).toBe(`${WHY}; the operator sends nothing, and the bound deployment stays as it is`);
    expect(w.status()).toMatchObject({
      deploymentID: before.deploymentID,
      binding: before.binding,
      applied: before.applied,
    });
    expect(w.patches()).toEqual([]);
  });

  scenario('is neither bound nor created if it was not before', { deployments: [] }, async (w) => {
    w.apply({ creation: { policy: 'IfMissing' }, source: 'internal_container', ...IMAGE });
    grow(w);
    await w.pass(120);
    expect(w.state()).toMatch(/^False\/InvalidSpec /);
    expect(w.resource().metadata.finalizers ?? []).toEqual([]);
    expect(w.service.deployments()).toEqual([]);
  });

  scenario('continues when it is smaller again', GIVEN, async (w) => {
    await rest(w);
    grow(w);
    await w.pass(60);
    w.store.edit(keyOf(AGENT), (resource) => {
      const { tooLarge, ...whole } = resource;
      expect(tooLarge).toBe(WHY);
      return {
        ...whole,
        spec: { ...whole.spec, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } },
      };
    });
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.patches()).toHaveLength(1);
  });

  scenario('is deleted with its deployment under Delete, which was read', GIVEN, async (w) => {
    await rest(w, 'Delete');
    grow(w);
    await w.pass(60);
    expect(w.resource().metadata.finalizers).toHaveLength(1);
    expect(deletions(w)).toBe(0);
    w.store.remove(keyOf(AGENT));
    await w.pass(120);
    expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
    expect(deletions(w)).toBe(1);
  });

  scenario('leaves its deployment in place if the policy could not be read', GIVEN, async (w) => {
    await rest(w, 'Delete');
    grow(w);
    w.store.edit(keyOf(AGENT), (resource) => ({ ...resource, spec: { source: 'external_container' } }));
    await w.pass(60);
    w.store.remove(keyOf(AGENT));
    await w.pass(120);
    expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
    expect(w.service.deployment(AGENT)).toBeDefined();
  });
});

describe('a connection above the read limit', () => {
  scenario('says so, and no request goes through it', GIVEN, async (w) => {
    await rest(w);
    const key = { kind: 'Connection', namespace: w.resource().metadata.namespace ?? '', name: 'default' };
    w.connections.edit(key, (connection) => {
      if (connection.kind !== 'Connection') throw new Error('there is another kind of connection');
      const { baseURL } = connection.spec;
      return { ...connection, spec: { baseURL, suspend: false }, tooLarge: WHY };
    });
    await w.pass(60);
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    await w.pass(60);
    expect(w.connectionState()).toBe('False/ProtocolError');
    expect(w.patches()).toEqual([]);
  });
});
