import { describe, expect } from 'vitest';
import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import { isUnbound } from '../../../src/model/recorded/digests.ts';
import { resourceOfFirstRelease } from '../../support/resources/first-release.ts';
import { scenario } from '../support/scenario.ts';
import type { Given } from '../support/world.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const TOKEN = 'the-token-of-the-agent';
const SECRETS = [{ name: 'API_TOKEN', value: TOKEN }];

/** Returns the service in the state that the history of the resource left, with this image. */
function given(image: string, secrets: readonly { name: string; value: string }[] = []): Given {
  return {
    started: false,
    deployments: [
      { name: AGENT, revisionConfig: { image_uri: `registry.example.com/agent:${image}` }, secrets },
      { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
    ],
    semantics: { secretsEcho: 'stars' },
  };
}

/** Matches digests in the form of 0.1.0. Fingerprints have the same form but are not digests. */
function unboundIn(status: DeploymentStatus): readonly string[] {
  const { applied: { references: _, ...applied } = {}, ...rest } = status;
  return texts([applied, rest]).filter((text) => isUnbound(text));
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** The newest revision before the announced write arrived. */
const REVISION_BEFORE = '00000000-0000-4000-8000-000000000001';

/** Upgrades a resource of 0.1.0 to the current release. Returns the status that release 0.1.0 left. */
async function takenOver(w: World, what: string, newest?: string): Promise<DeploymentStatus> {
  const { spec, status, afterSeconds } = resourceOfFirstRelease(what);
  const { id, tenant_id: tenant, latest_revision_id: revision } = w.shown();
  const shown = { '{id}': id, '{tenant}': tenant, '{revision}': newest ?? revision };
  const text = Object.entries(shown).reduce(
    (so, [name, value]) => so.replaceAll(name, JSON.stringify(value).slice(1, -1)),
    JSON.stringify(status),
  );
  const found = JSON.parse(text) as DeploymentStatus;
  w.putSecret('agent-secrets', { token: TOKEN });
  await w.pass(afterSeconds);
  w.apply(spec);
  w.store.overwriteStatus(keyOf(AGENT), found);
  w.start();
  return found;
}

describe('a resource of release 0.1.0', () => {
  scenario('costs one status write for new digests when it is at rest', given('2', SECRETS), async (w) => {
    const found = await takenOver(w, 'at rest');
    await w.pass(900);
    expect(w.service.log.count('patch')).toBe(0);
    expect(w.statusWrites).toHaveLength(1);
    const { applied, budget } = w.status();
    expect(applied?.key).toMatch(/^v2:first:/);
    expect(w.status()).toEqual({ ...found, applied, budget });
    expect({ ...applied, key: 'v1:first', fields: [], secrets: {} }).toEqual({
      ...found.applied,
      fields: [],
      secrets: {},
    });
    expect(unboundIn(w.status())).toEqual([]);
  });

  scenario(
    'keeps the record of what was sent: an edit sends only the edited field',
    given('2', SECRETS),
    async (w) => {
      await takenOver(w, 'at rest');
      await w.pass(60);
      w.apply({ ...w.resource().spec, sourceConfig: { buildCommand: 'make' } });
      await w.pass(120);
      expect(w.bodies()).toEqual([{ source_config: { build_command: 'make' } }]);
    },
  );

  scenario('gets no second write if the announced write arrived', given('2', SECRETS), async (w) => {
    await takenOver(w, 'announced', REVISION_BEFORE);
    await w.pass(300);
    expect(w.service.log.count('patch')).toBe(0);
    expect(w.status()).toMatchObject({ lastPatch: { outcome: 'Verified' } });
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('gets the announced write once it is certain that it did not arrive', given('1'), async (w) => {
    const { pendingWrite } = await takenOver(w, 'announced');
    await w.pass(20);
    expect(w.service.log.count('patch')).toBe(0);
    await w.pass(300);
    expect(w.service.log.count('patch')).toBe(1);
    expect(w.patches()[0]?.body).toMatchObject({
      source_revision_config: { image_uri: 'registry.example.com/agent:2' },
    });
    expect(pendingWrite).toBeDefined();
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('that was refused is not retried before its time', given('1'), async (w) => {
    await takenOver(w, 'refused');
    await w.pass(600);
    expect(w.service.log.count('patch')).toBe(0);
    expect(w.condition('Stalled')).toBe('True/Rejected');
    await w.pass(1_800);
    expect(w.service.log.count('patch')).toBe(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});
