import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { Given, World } from '../support/world.ts';

/** A service that shows values in plain text and makes no revision on a secret change. */
const QUIET = { revisionFor: 'revision-config' } as const;
const FOREIGN = { name: 'FOREIGN', value: 'foreign-value-of-m' };
const THREE = {
  deployments: [
    { name: 'x', secrets: [{ name: 'A', value: 'first-value-of-x' }] },
    { name: 'g', secrets: [{ name: 'A', value: 'first-value-of-g' }] },
    { name: 'm', secrets: [{ name: 'A', value: 'first-value-of-m' }, FOREIGN] },
  ],
  semantics: QUIET,
};

function declare(w: World, name: string, value: string, secretsOwnership: 'Guarded' | 'Merge' = 'Guarded') {
  w.putSecret(`of-${name}`, { key: value });
  const valueFrom = { secretKeyRef: { name: `of-${name}`, key: 'key' } };
  w.apply({ secretsOwnership, secrets: [{ name: 'A', valueFrom }] }, name);
}

/** Declares two secrets once an earlier write is confirmed; then a list follows only after ten seconds. */
async function declareTwo(w: World): Promise<void> {
  w.apply({ sourceConfig: { resourceSpec: { cpu: 1 } } }, 'x');
  await w.pass(300);
  const secrets = ['A', 'B'].map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: 'of-x', key: name } },
  }));
  w.putSecret('of-x', { A: 'first-value-of-a', B: 'first-value-of-b' });
  w.apply({ sourceConfig: { resourceSpec: { cpu: 1 } }, secrets }, 'x');
}

const kept = (w: World, name: string): unknown => w.kept(name).content.secrets;
const visibility = (w: World): string | undefined => w.connectionStatus().learned?.secretsVisibility?.verdict;

function editByHand(w: World, name: string, value: string, secret = 'A'): void {
  w.secretTexts.add(value);
  w.editAtService(`secrets.${secret}`, value, name);
}

describe('one secret that a person edits', () => {
  scenario('is corrected by a process that has sent none itself', THREE, async (w) => {
    declare(w, 'x', 'second-value-of-x');
    await w.pass(300);
    w.restart();
    await w.pass(300);
    editByHand(w, 'x', 'somebody-elses-value');
    await w.pass(300);
    expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'second-value-of-x' }]);
  });

  scenario(
    'is left alone by a process that has only seen a value nobody is known to have sent',
    THREE,
    async (w) => {
      declare(w, 'x', 'first-value-of-x');
      await w.pass(300);
      w.restart();
      await w.pass(300);
      editByHand(w, 'x', 'perhaps-a-mask');
      await w.pass(300);
      expect(w.patches()).toHaveLength(0);
    },
  );

  scenario('is corrected, and the others are compared and merged as before (B1)', THREE, async (w) => {
    declare(w, 'x', 'second-value-of-x');
    declare(w, 'g', 'second-value-of-g');
    await w.pass(100);
    declare(w, 'm', 'second-value-of-m', 'Merge');
    await w.pass(300);
    expect(visibility(w)).toBe('Plain');

    editByHand(w, 'x', 'somebody-elses-value');
    await w.pass(300);
    expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'second-value-of-x' }]);
    editByHand(w, 'g', 'somebody-elses-too');
    await w.pass(300);
    expect(kept(w, 'g')).toEqual([{ name: 'A', value: 'second-value-of-g' }]);
    w.putSecret('of-m', { key: 'third-value-of-m' });
    await w.pass(300);
    expect(kept(w, 'm')).toEqual([{ name: 'A', value: 'third-value-of-m' }, FOREIGN]);
    expect(visibility(w)).toBe('Plain');
    expect(w.state('m')).toContain('True/InSync');
  });

  scenario('is corrected if it is the only managed one', THREE, async (w) => {
    declare(w, 'x', 'second-value-of-x');
    await w.pass(300);
    editByHand(w, 'x', 'somebody-elses-value');
    await w.pass(300);
    expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'second-value-of-x' }]);
    expect(visibility(w)).toBe('Plain');
  });

  scenario('seconds after our own write of it is an edit, not a mask', THREE, async (w) => {
    declare(w, 'x', 'second-value-of-x');
    await w.pass(300);
    w.putSecret('of-x', { key: 'third-value-of-x' });
    await w.pass(12);
    expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'third-value-of-x' }]);
    editByHand(w, 'x', 'somebody-elses-value');
    await w.pass(600);
    expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'third-value-of-x' }]);
    expect(visibility(w)).toBe('Plain');
  });

  scenario(
    'is corrected, also if no list shows both as sent',
    { deployments: THREE.deployments },
    async (w) => {
      await declareTwo(w);
      await w.pass(5);
      editByHand(w, 'x', 'somebody-elses-b', 'B');
      await w.pass(6);
      editByHand(w, 'x', 'somebody-elses-a');
      await w.pass(400);
      expect(kept(w, 'x')).toEqual([
        { name: 'A', value: 'first-value-of-a' },
        { name: 'B', value: 'first-value-of-b' },
      ]);
      expect(visibility(w)).toBe('Plain');
    },
  );

  scenario(
    'is corrected, also if the request that proved plain values was to restore others, and its answer is empty',
    {
      deployments: [{ name: 'x', secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }] }],
      semantics: { topLevelOmit: 'cleared', patchEcho: 'empty-202' },
    },
    async (w) => {
      w.apply({ sourceConfig: { buildCommand: 'make one' } }, 'x');
      await w.pass(300);
      declare(w, 'x', 'first-value-of-x', 'Merge');
      await w.pass(15);
      editByHand(w, 'x', 'somebody-elses-value');
      await w.pass(400);
      expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'first-value-of-x' }]);
      expect(visibility(w)).toBe('Plain');
    },
  );

  scenario(
    'is corrected if the edit falls between the first sweep of a new process and its own look (10462429)',
    { deployments: THREE.deployments, semantics: { ...QUIET, patchEcho: 'empty-204' } },
    async (w) => {
      w.connect({ rateLimit: { requestsPerSecond: 1 / 2, burst: 1, concurrency: 1 }, list: { pageSize: 2 } });
      declare(w, 'x', 'second-value-of-x');
      await w.pass(300);
      w.apply({ ...w.resource('x').spec, sourceConfig: { buildCommand: 'make' } }, 'x');
      await w.pass(5);
      w.restart();
      await w.pass(5);
      editByHand(w, 'x', 'somebody-elses-value');
      await w.pass(400);
      expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'second-value-of-x' }]);
    },
  );

  scenario(
    'is corrected if that follows its removal, and no answer showed that we put it back',
    { deployments: THREE.deployments, semantics: { ...QUIET, patchEcho: 'pre' } },
    async (w) => {
      declare(w, 'x', 'second-value-of-x');
      await w.pass(300);
      w.editAtService('secrets.A', null, 'x');
      await w.pass(70);
      expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'second-value-of-x' }]);
      editByHand(w, 'x', 'somebody-elses-value');
      await w.pass(300);
      expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'second-value-of-x' }]);
      expect(visibility(w)).toBe('Plain');
    },
  );

  scenario(
    'is corrected together with all others, if one of somebody else stays as it was',
    THREE,
    async (w) => {
      const ours = ['A', 'B'].map((name) => ({ name, value: `second-value-of-${name}` }));
      const secrets = ours.map(({ name }) => ({
        name,
        valueFrom: { secretKeyRef: { name: 'of-x', key: name } },
      }));
      w.putSecret('of-x', Object.fromEntries(ours.map(({ name, value }) => [name, value])));
      w.apply({ secrets }, 'x');
      await w.pass(300);
      w.apply({ secretsOwnership: 'Merge', secrets }, 'x');
      editByHand(w, 'x', FOREIGN.value, FOREIGN.name);
      await w.pass(300);
      for (const { name } of ours) editByHand(w, 'x', `somebody-elses-${name}`, name);
      await w.pass(400);
      for (const secret of [...ours, FOREIGN]) expect(kept(w, 'x')).toContainEqual(secret);
      expect(visibility(w)).toBe('Plain');
    },
  );

  for (const secretsEcho of ['stars', 'partial', 'digest', 'empty', 'null'] as const) {
    scenario(`is not assumed if a service begins to mask by ${secretsEcho}`, THREE, async (w) => {
      for (const name of ['x', 'g']) declare(w, name, `second-value-of-${name}`);
      await w.pass(300);
      const sent = w.patches().length;
      w.become({ secretsEcho });
      await w.pass(900);
      expect(w.patches()).toHaveLength(sent);
      for (const name of ['x', 'g']) expect(w.state(name)).toContain('True/InSync');
    });
  }
});

describe('a secret that leaves the spec within the window of the write that set it', () => {
  const given = (semantics: Given['semantics']): Given => ({
    deployments: [{ name: 'x' }, { name: 'g', secrets: [FOREIGN] }],
    semantics: { patchEcho: 'partial', trigger: 'delayed', triggerDelaySeconds: 20, ...semantics },
  });
  const leaves = (w: World): void => {
    w.apply({ secrets: [] }, 'x');
  };
  const bound = async (w: World): Promise<void> => {
    w.putSecret('of-x', { key: 'first-value-of-x' });
    w.apply({}, 'x');
    await w.pass(60);
  };

  scenario(
    'is not sent again if a list shows that somebody removed it, under a revision that is new since a list showed the write',
    given({}),
    async (w) => {
      await bound(w);
      declare(w, 'x', 'first-value-of-x');
      await w.pass(12);
      w.editAtService('secrets.A', null, 'x');
      await w.pass(3);
      leaves(w);
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      expect(w.condition('Synced', 'x')).toBe('True/InSync');
    },
  );

  scenario(
    'is removed if a lagging list of such a revision shows a field as it was before the last write',
    { deployments: [{ name: 'x', secrets: [{ name: 'A', value: 'first-value-of-x' }] }] },
    async (w) => {
      const spec = (memoryMB: number, names: readonly string[]) => ({
        sourceConfig: { resourceSpec: { memoryMB } },
        secrets: names.map((name) => ({
          name,
          valueFrom: { secretKeyRef: { name: `of-${name}`, key: 'key' } },
        })),
      });
      w.putSecret('of-A', { key: 'first-value-of-x' });
      w.putSecret('of-B', { key: 'second-value-of-x' });
      w.apply(spec(512, ['A']), 'x');
      await w.pass(200);
      w.editAtService('source_revision_config.image_uri', 'r.example.com/agent:2', 'x');
      await w.pass(1);
      w.apply(spec(512, ['A', 'B']), 'x');
      await w.pass(10);
      w.apply(spec(600, ['A', 'B']), 'x');
      await w.pass(7);
      w.become({ stale: { every: 1, seconds: 18 } });
      w.apply(spec(600, ['A']), 'x');
      await w.pass(3);
      w.become({ stale: { every: 0, seconds: 0 } });
      await w.pass(300);
      expect(kept(w, 'x')).toEqual([{ name: 'A', value: 'first-value-of-x' }]);
      expect(w.condition('Synced', 'x')).toBe('True/InSync');
    },
  );

  scenario(
    'is removed if such a list may be older than the write, since no list has shown that',
    given({ listLag: { seconds: 20 } }),
    async (w) => {
      await bound(w);
      w.editAtService('source_revision_config.image_uri', 'r.example.com/agent:1', 'x');
      await w.pass(4);
      declare(w, 'x', 'first-value-of-x');
      await w.pass(17);
      leaves(w);
      await w.pass(300);
      expect(w.patches()).toHaveLength(2);
      expect(kept(w, 'x')).toEqual([]);
    },
  );

  scenario('is removed if an old list lacks it after one that showed the write', given({}), async (w) => {
    await bound(w);
    declare(w, 'x', 'first-value-of-x');
    await w.pass(12);
    w.become({ stale: { every: 1, seconds: 30 } });
    leaves(w);
    await w.pass(300);
    expect(w.patches()).toHaveLength(2);
    expect(kept(w, 'x')).toEqual([]);
  });
});
