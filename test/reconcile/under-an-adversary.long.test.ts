import { expect } from 'vitest';
import { judgedScenario } from './support/scenario.ts';
import { AGENT, keyOf, type World } from './support/world.ts';

const CPU = 'source_config.resource_spec.cpu';
const IMAGE = 'source_revision_config.image_uri';
const THEIRS = { memory_mb: 4096, service_account_name: 'theirs' };
const AGENT_OF_OTHERS = {
  name: AGENT,
  sourceConfig: { resource_spec: { cpu: 1, ...THEIRS } },
  revisionConfig: { image_uri: 'r.example.com/agent:1' },
};

judgedScenario(
  'a person who reverts our write every ten seconds for an hour is corrected once, then left alone',
  { deployments: [AGENT_OF_OTHERS] },
  async (w) => {
    w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
    await w.pass(120);
    for (let time = 0; time < 360; time += 1) {
      w.editAtService(CPU, 1);
      await w.pass(10);
    }
    expect(w.condition('Synced')).toBe('False/NotConverging');
    expect(w.patches().length, 'the first application and one correction').toBe(2);
    expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject(THEIRS);
  },
);

for (const [name, hours] of [
  ['forward', 1],
  ['back', -1],
] as const) {
  judgedScenario(
    `a clock that is set ${name} by an hour repeats nothing, and the next edit is sent`,
    { deployments: [AGENT_OF_OTHERS] },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(120);
      const before = w.patches().length;
      w.shiftClock(hours * 3_600);
      await w.pass(300);
      expect(w.patches().length, 'nothing is sent for a clock').toBe(before);
      w.apply({ sourceConfig: { resourceSpec: { cpu: 3 } } });
      await w.pass(300);
      expect(w.bodies().length, 'one request for one edit').toBe(before + 1);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject({ cpu: 3, ...THEIRS });
    },
  );
}

judgedScenario(
  'a clock that is set back during a write whose answer is lost ends in sync',
  { deployments: [AGENT_OF_OTHERS] },
  async (w) => {
    w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' } });
    await w.pass(120);
    w.fault({ kind: 'apply-then-fail', how: 'hang' });
    w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:2' } });
    await w.pass(5);
    w.shiftClock(-3_600);
    await w.pass(300);
    expect(w.state()).toBe('True/InSync True/Active');
    await w.pass(5_000);
    expect(w.patches().length, 'what arrived is not sent again').toBe(1);
    expect(w.revisionsMade()).toBe(1);
  },
);

judgedScenario(
  'a service whose answers show values that it does not keep gets two requests, then NotConverging',
  { deployments: [AGENT_OF_OTHERS], semantics: { fieldRules: { [IMAGE]: 'pretended' } } },
  async (w) => {
    w.apply({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:2' } });
    // Corrections are counted for a day; the bound outlasts that.
    await w.pass(30 * 3_600);
    expect(w.condition('Ready')).toBe('False/NotConverging');
    expect(w.patches().length, 'the bound on identical requests').toBe(2);
    expect(w.kept().content.sourceConfig['resource_spec']).toMatchObject(THEIRS);
  },
);

judgedScenario(
  'two resources that want one name at once create one deployment, and the other reports the owner',
  { deployments: [], semantics: { duplicateNames: 'allowed', listLag: { seconds: 20 } } },
  async (w) => {
    const spec = {
      deploymentRef: { name: 'shared' },
      creation: { policy: 'IfMissing' as const },
      sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' },
    };
    w.apply(spec, 'one');
    w.apply(spec, 'two');
    await w.pass(1_200);
    expect(w.service.log.count('create')).toBe(1);
    const states = ['one', 'two'].map((name) => w.condition('Synced', name));
    expect(new Set(states)).toEqual(new Set(['False/OwnershipConflict', 'True/InSync']));
  },
);

const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];
const HIDDEN = ['b', 'd', 'f'];
const RUNNING = {
  sourceRevisionConfig: { imageURI: 'r.example.com/agent:1' },
  deletionPolicy: 'Delete',
} as const;
const THERE = {
  deployments: SIX.map((name) => ({ name, revisionConfig: { image_uri: 'r.example.com/agent:1' } })),
};

const stateOf = (w: World, names: readonly string[]): readonly (string | undefined)[] => [
  ...new Set(names.map((name) => w.condition('Synced', name))),
];

for (const minutes of [3, 60]) {
  for (const [recreate, reason, posts] of [
    [false, 'NotFound', 0],
    [true, 'NameTaken', 2],
  ] as const) {
    judgedScenario(
      `a list with half of its items for ${minutes} minutes causes ${reason}${recreate ? ' of what is to be made again' : ''}, and every edit arrives once`,
      THERE,
      async (w) => {
        const spec = { ...RUNNING, creation: { policy: 'IfMissing' as const, recreate } };
        for (const name of SIX) w.apply(spec, name);
        await w.pass(120);
        const lists = w.service.log.count('list');
        w.become({ listShows: 'half' });
        await w.pass(30);
        w.apply({ ...spec, sourceConfig: { resourceSpec: { cpu: 2 } } }, 'b');
        await w.pass(minutes * 60 - 30);
        expect(stateOf(w, HIDDEN)).toEqual([`False/${reason}`]);
        expect(stateOf(w, ['a', 'c', 'e'])).toEqual(['True/InSync']);
        // An edit is attempted twice at once. A sweep and a complete pass of two pages fit into a poll interval.
        expect(w.service.log.count('list') - lists).toBeLessThanOrEqual(10 + 3 * minutes);
        // A refused creation is retried after half an hour.
        expect(w.service.log.count('create')).toBeLessThanOrEqual(posts * HIDDEN.length + 1);
        w.become({ listShows: 'all' });
        await w.pass(120);
        expect(stateOf(w, SIX)).toEqual(['True/InSync']);
        expect(w.patches()).toHaveLength(1);
        expect(w.kept('b').content.sourceConfig['resource_spec']).toMatchObject({ cpu: 2 });
        expect(w.service.deployments().map(({ name }) => name)).toEqual(SIX);
        expect(SIX.filter((name) => w.store.peek(keyOf(name)) === undefined)).toEqual([]);
      },
    );
  }
}
