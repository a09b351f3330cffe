import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

const FIRST = 'the-first-token-value';
const SECOND = 'the-second-token-value';
const from = (name: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: 'agent-secrets', key } },
});
const TOKEN = from('API_TOKEN', 'token');
const B = from('B', 'b');
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const OWNERSHIPS = ['Guarded', 'Merge', 'Exclusive'] as const;

const kept = (w: World): unknown => w.kept().content.secrets;
const declare = (
  w: World,
  secretsOwnership: (typeof OWNERSHIPS)[number],
  secrets: DeploymentSpec['secrets'],
) => w.apply({ secretsOwnership, ...(secrets === undefined ? {} : { secrets }) });

describe('a secret that was removed from the spec', () => {
  const given = { deployments: [{ name: AGENT }, SEEN] };
  const emptied = async (w: World): Promise<void> => {
    w.putSecret('agent-secrets', { token: FIRST });
    w.apply({ driftPolicy: 'Report', secrets: [TOKEN] });
    await w.pass(180);
    w.editAtService('secrets.API_TOKEN', null);
    await w.pass(120);
  };

  scenario('is not removed again if another client has already removed it', given, async (w) => {
    await emptied(w);
    w.apply({ driftPolicy: 'Report', secrets: [] });
    await w.pass(300);
    expect(w.patches()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('is removed if it was set again since the read before the edit', given, async (w) => {
    await emptied(w);
    w.editAtService('secrets.API_TOKEN', SECOND);
    w.apply({ driftPolicy: 'Report', secrets: [] });
    await w.pass(300);
    expect(w.bodies().slice(1)).toEqual([{ secrets: [] }]);
    expect(kept(w)).toEqual([]);
  });
});

describe('the request that removes a secret', () => {
  for (const ownership of OWNERSHIPS) {
    for (const secretsEcho of ['plain', 'stars', 'names-only'] as const) {
      scenario(
        `is sent once more if the service failed: ${ownership}, ${secretsEcho}`,
        { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho } },
        async (w) => {
          w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
          declare(w, ownership, [TOKEN, B]);
          await w.pass(300);
          w.fault({ kind: 'status', status: 500 }, { match: { operation: 'patch' } });
          declare(w, ownership, [TOKEN]);
          await w.pass(300);
          expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
          expect(w.patches()).toHaveLength(3);
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );
    }
  }
});

describe('the announced request that removes the last secret', () => {
  scenario(
    'is not proven by the revision of another client while the secret is listed',
    { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST });
      declare(w, 'Merge', [TOKEN]);
      await w.pass(300);
      const killed = killAt(w, 'after the announcement');
      declare(w, 'Merge', []);
      await w.pass(5);
      expect(killed()).toBe(true);
      w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
      w.start();
      await w.pass(300);
      expect(kept(w)).toEqual([]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a secret removed from the spec before its first request is proven to have arrived', () => {
  for (const ownership of OWNERSHIPS) {
    for (const secretsEcho of ['plain', 'stars'] as const) {
      for (const how of ['reset', 'refused'] as const) {
        scenario(
          `is removed if it arrived: ${ownership}, ${secretsEcho}, ${how}`,
          { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho, listLag: { seconds: 20 } } },
          async (w) => {
            w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
            declare(w, ownership, []);
            await w.pass(120);
            w.fault(how === 'reset' ? { kind: 'apply-then-fail', how } : { kind: 'status', status: 400 });
            declare(w, ownership, [TOKEN]);
            await w.pass(5);
            declare(w, ownership, [B]);
            await w.pass(300);
            expect(kept(w)).toEqual([{ name: 'B', value: 'the-value-of-b' }]);
            expect(w.state()).toBe('True/InSync True/Active');
            expect(w.patches()).toHaveLength(2);
          },
        );
      }
    }
  }

  scenario(
    'is removed if the others of that request are shown with their sent values',
    { deployments: [{ name: AGENT }, SEEN], semantics: { listLag: { seconds: 20 } } },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
      declare(w, 'Guarded', [TOKEN]);
      await w.pass(120);
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      declare(w, 'Guarded', [TOKEN, B]);
      await w.pass(5);
      declare(w, 'Guarded', [TOKEN]);
      await w.pass(300);
      expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('costs no request if it did not arrive', { deployments: [{ name: AGENT }, SEEN] }, async (w) => {
    w.putSecret('agent-secrets', { token: FIRST });
    w.fault({ kind: 'status', status: 503 });
    declare(w, 'Guarded', [TOKEN]);
    await w.pass(5);
    declare(w, 'Guarded', []);
    await w.pass(300);
    expect(w.patches()).toHaveLength(1);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('a secret that was removed and that the service keeps', () => {
  for (const ownership of OWNERSHIPS) {
    for (const secretsEcho of ['plain', 'stars', 'names-only'] as const) {
      scenario(
        `is reported by name, and blocks no rotation: ${ownership}, ${secretsEcho} (H3, N7)`,
        { deployments: [{ name: AGENT }, SEEN], semantics: { lists: 'merge-by-name', secretsEcho } },
        async (w) => {
          w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
          declare(w, ownership, [TOKEN, B]);
          await w.pass(120);
          declare(w, ownership, [TOKEN]);
          await w.pass(180);
          expect(w.state()).toBe('False/FieldNotClearable False/FieldNotClearable');
          expect(w.message()).toContain('B');
          expect(w.patches()).toHaveLength(2);
          w.putSecret('agent-secrets', { token: SECOND, b: 'the-value-of-b' });
          await w.pass(180);
          expect(w.patches()).toHaveLength(3);
          expect(kept(w)).toContainEqual({ name: 'API_TOKEN', value: SECOND });
          w.editAtService('secrets.B', null);
          await w.pass(180);
          expect(w.patches()).toHaveLength(3);
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );

      scenario(
        `as the last one is reported by name after one empty list: ${ownership}, ${secretsEcho} (H17)`,
        { deployments: [{ name: AGENT }, SEEN], semantics: { lists: 'empty-ignored', secretsEcho } },
        async (w) => {
          w.putSecret('agent-secrets', { token: FIRST });
          declare(w, ownership, [TOKEN]);
          await w.pass(120);
          const since = w.statusWrites.length;
          declare(w, ownership, []);
          await w.pass(300);
          expect(w.state()).toBe('False/FieldNotClearable False/FieldNotClearable');
          expect(w.message()).toContain('API_TOKEN');
          expect(w.statusStory(since).join()).not.toContain('InSync');
          expect(w.bodies().slice(1)).toEqual([{ secrets: [] }]);
        },
      );
    }
  }

  for (const driftPolicy of ['Correct', 'Report'] as const) {
    scenario(
      `although another client set it, is not a change by that client: ${driftPolicy} (N7)`,
      {
        deployments: [{ name: AGENT, secrets: [{ name: 'BY_HAND', value: 'a-value-set-by-hand' }] }],
        semantics: { lists: 'merge-by-name', secretsEcho: 'stars' },
      },
      async (w) => {
        w.putSecret('agent-secrets', { token: FIRST });
        w.fault({ kind: 'apply-then-fail', how: 'reset' });
        w.apply({ secretsOwnership: 'Exclusive', secrets: [TOKEN], driftPolicy });
        await w.pass(180);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe('False/FieldNotClearable False/FieldNotClearable');
        expect(w.message()).toContain('BY_HAND');
      },
    );
  }

  scenario(
    'is not assumed from a list that lags',
    {
      deployments: [{ name: AGENT }, SEEN],
      semantics: { listLag: { seconds: 25 }, patchEcho: 'pre', secretsEcho: 'stars' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
      declare(w, 'Guarded', [TOKEN, B]);
      await w.pass(120);
      const since = w.statusWrites.length;
      declare(w, 'Guarded', [TOKEN]);
      await w.pass(180);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.statusStory(since).join()).not.toContain('FieldNotClearable');
    },
  );

  scenario(
    'is ours again when it is declared again',
    {
      deployments: [{ name: AGENT }, SEEN],
      semantics: { lists: 'merge-by-name', secretsEcho: 'stars' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
      declare(w, 'Guarded', [TOKEN, B]);
      await w.pass(120);
      declare(w, 'Guarded', [TOKEN]);
      await w.pass(120);
      declare(w, 'Guarded', [TOKEN, B]);
      await w.pass(120);
      expect(w.patches()).toHaveLength(3);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});

describe('a secret that was removed, that the service keeps, and that is declared again', () => {
  const KEEPS = { deployments: [{ name: AGENT }, SEEN], semantics: { lists: 'empty-ignored' } } as const;
  const again = async (w: World, spec: Partial<DeploymentSpec>): Promise<void> => {
    w.putSecret('agent-secrets', { token: FIRST });
    w.apply({ ...spec, secrets: [TOKEN] });
    await w.pass(180);
    w.apply({ ...spec, secrets: [] });
    await w.pass(300);
    w.apply({ ...spec, secrets: [TOKEN] });
    await w.pass(300);
  };

  for (const secretsOwnership of OWNERSHIPS) {
    for (const driftPolicy of ['Correct', 'Report'] as const) {
      const of = `${secretsOwnership}, ${driftPolicy}`;
      scenario(`is not sent, and an edit of it later is drift: ${of}`, KEEPS, async (w) => {
        await again(w, { secretsOwnership, driftPolicy });
        expect(w.bodies().slice(1)).toEqual([{ secrets: [] }]);
        expect(w.state()).toBe('True/InSync True/Active');
        w.editAtService('secrets.API_TOKEN', 'set-by-somebody-else');
        await w.pass(300);
        const value = driftPolicy === 'Report' ? 'set-by-somebody-else' : FIRST;
        expect(kept(w)).toEqual([{ name: 'API_TOKEN', value }]);
        w.putSecret('agent-secrets', { token: 'the-second-value' });
        await w.pass(300);
        expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: 'the-second-value' }]);
      });

      scenario(
        `has its edits respected beside one that the service keeps: ${of}`,
        { deployments: [{ name: AGENT }, SEEN], semantics: { lists: 'merge-by-name' } },
        async (w) => {
          w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
          const spec = { secretsOwnership, driftPolicy };
          w.apply({ ...spec, secrets: [TOKEN, B] });
          await w.pass(180);
          w.apply({ ...spec, secrets: [] });
          await w.pass(300);
          w.apply({ ...spec, secrets: [TOKEN] });
          await w.pass(300);
          expect(w.bodies()).toHaveLength(2);
          expect(w.condition('Synced')).toBe('False/FieldNotClearable');
          w.editAtService('secrets.API_TOKEN', 'set-by-somebody-else');
          await w.pass(300);
          const value = driftPolicy === 'Report' ? 'set-by-somebody-else' : FIRST;
          expect(kept(w)).toContainEqual({ name: 'API_TOKEN', value });
        },
      );

      scenario(
        `is sent if somebody changed it meanwhile, even just before it is declared: ${of}`,
        KEEPS,
        async (w) => {
          const spec = { secretsOwnership, driftPolicy };
          w.putSecret('agent-secrets', { token: FIRST });
          w.apply({ ...spec, secrets: [TOKEN] });
          await w.pass(180);
          w.apply({ ...spec, secrets: [] });
          await w.pass(300);
          w.editAtService('secrets.API_TOKEN', 'set-by-somebody-else');
          w.apply({ ...spec, secrets: [TOKEN] });
          await w.pass(300);
          expect(w.bodies()).toHaveLength(3);
          expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
          expect(w.state()).toBe('True/InSync True/Active');
        },
      );
    }
  }
});

describe('an edit beside a secret that the service keeps', () => {
  scenario(
    'goes out at once, whole bodies too, and soon after another one',
    {
      deployments: [{ name: AGENT, sourceConfig: { install_command: 'npm ci' } }, SEEN],
      connection: { patch: { bodies: 'Full' } },
      semantics: { lists: 'merge-by-name', patchEcho: 'partial' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
      const edit = (tag: number, secrets: DeploymentSpec['secrets'] & object): void =>
        w.apply({
          ...{ secretsOwnership: 'Exclusive', secrets },
          sourceRevisionConfig: { imageURI: `r.example.com/agent:${tag}` },
        });
      edit(1, [TOKEN, B]);
      await w.pass(200);
      for (const tag of [2, 3, 4, 5]) {
        edit(tag, [TOKEN]);
        await w.pass(4);
        expect(w.kept().content.revisionConfig).toMatchObject({ image_uri: `r.example.com/agent:${tag}` });
      }
      await w.pass(200);
      expect(w.condition('Synced')).toBe('False/FieldNotClearable');
    },
  );
});

describe('a secret that somebody else has set, and that the spec declares with the same value', () => {
  for (const secretsOwnership of ['Guarded', 'Merge'] as const) {
    scenario(
      `is not sent, and an edit of it later is drift: ${secretsOwnership}`,
      { deployments: [{ name: AGENT }, SEEN] },
      async (w) => {
        w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
        w.apply({ secretsOwnership, secrets: [TOKEN] });
        await w.pass(180);
        w.editAtService('secrets.B', 'the-value-of-b');
        await w.pass(300);
        w.apply({ secretsOwnership, secrets: [TOKEN, B] });
        await w.pass(300);
        expect(w.patches()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
        w.editAtService('secrets.B', 'set-by-somebody-else');
        await w.pass(300);
        expect(kept(w)).toContainEqual({ name: 'B', value: 'the-value-of-b' });
      },
    );
  }

  scenario('is sent beside another value', { deployments: [{ name: AGENT }, SEEN] }, async (w) => {
    w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
    w.apply({ secrets: [TOKEN] });
    await w.pass(180);
    w.editAtService('secrets.B', 'set-by-somebody-else');
    await w.pass(300);
    w.apply({ secrets: [TOKEN, B] });
    await w.pass(300);
    expect(w.patches()).toHaveLength(2);
    expect(kept(w)).toContainEqual({ name: 'B', value: 'the-value-of-b' });
  });
});

describe('a kept secret that is declared again within the window of another write', () => {
  const image = (imageURI: string): Partial<DeploymentSpec> => ({ sourceRevisionConfig: { imageURI } });
  const again = async (w: World, spec: Partial<DeploymentSpec>): Promise<void> => {
    const first = { ...spec, ...image('r.example.com/agent:1') };
    w.putSecret('agent-secrets', { token: FIRST });
    w.apply({ ...first, secrets: [TOKEN] });
    await w.pass(180);
    w.apply({ ...first, secrets: [] });
    await w.pass(300);
    const next = { ...spec, ...image('r.example.com/agent:2') };
    w.apply({ ...next, secrets: [] });
    await w.pass(5);
    w.apply({ ...next, secrets: [TOKEN] });
    await w.pass(300);
  };
  const given = (semantics: Given['semantics']): Given => ({
    deployments: [{ name: AGENT }, SEEN],
    semantics: { lists: 'empty-ignored', ...semantics },
  });

  for (const driftPolicy of ['Correct', 'Report'] as const) {
    scenario(
      `with a list that shows it beside the revision of that write: ${driftPolicy}`,
      given({}),
      async (w) => {
        await again(w, { driftPolicy });
        expect(w.bodies().slice(1)).toEqual([
          { secrets: [] },
          { source_revision_config: { image_uri: 'r.example.com/agent:2' } },
          // Under Report a value that somebody removed in this moment would never be sent.
          ...(driftPolicy === 'Report' ? [{ secrets: [{ name: 'API_TOKEN', value: FIRST }] }] : []),
        ]);
        expect(w.state()).toBe('True/InSync True/Active');
        w.editAtService('secrets.API_TOKEN', null);
        await w.pass(300);
        expect(kept(w)).toEqual(driftPolicy === 'Report' ? [] : [{ name: 'API_TOKEN', value: FIRST }]);
      },
    );

    scenario(
      `is sent if lists may be older than that write, which emptied it: ${driftPolicy}`,
      given({ listLag: { seconds: 20 }, topLevelOmit: 'cleared' }),
      async (w) => {
        await again(w, { driftPolicy });
        expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }
});

describe('the only managed secret', () => {
  scenario(
    'is sent once more when another client deletes it, beside one of ours that the service keeps',
    {
      deployments: [{ name: AGENT }, SEEN],
      semantics: { lists: 'merge-by-name', secretsEcho: 'stars', patchEcho: 'pre' },
    },
    async (w) => {
      w.putSecret('agent-secrets', { token: FIRST, b: 'the-value-of-b' });
      declare(w, 'Guarded', [B]);
      await w.pass(120);
      declare(w, 'Guarded', [TOKEN]);
      await w.pass(120);
      expect(w.message()).toContain('keeps secrets that the newest list leaves out: B');
      w.editAtService('secrets.API_TOKEN', null);
      await w.pass(180);
      expect(kept(w)).toContainEqual({ name: 'API_TOKEN', value: FIRST });
    },
  );

  for (const secretsEcho of ['plain', 'stars', 'names-only'] as const) {
    scenario(
      `is sent once more when another client deletes it: ${secretsEcho} (H15)`,
      { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho } },
      async (w) => {
        w.putSecret('agent-secrets', { token: FIRST });
        declare(w, 'Exclusive', [TOKEN]);
        await w.pass(120);
        w.editAtService('secrets.API_TOKEN', null);
        await w.pass(180);
        expect(kept(w)).toEqual([{ name: 'API_TOKEN', value: FIRST }]);
        expect(w.patches()).toHaveLength(2);
        expect(w.events.reasons()).toContain('DriftCorrected');
      },
    );
  }
});
