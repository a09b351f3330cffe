import { describe, expect } from 'vitest';
import type { SimulatedAnswer } from '../../../src/simulator/api/exchange.ts';
import { scenario } from '../support/scenario.ts';
import { type ShownDeployment, listsShow } from '../support/shaped-answers.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const GIVEN: Given = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
};

/** Makes two writes and comes to rest. Returns the list between them. */
async function twice(w: World): Promise<ShownDeployment> {
  w.apply(image(2));
  await w.pass(200);
  const old = structuredClone(w.shown()) as unknown as ShownDeployment;
  w.apply(image(3));
  await w.pass(200);
  expect(w.patches()).toHaveLength(2);
  return old;
}

describe('a list that shows an older state, with the revision of that time', () => {
  scenario('is not drift if it lasts for less than the consistency window (K10)', GIVEN, async (w) => {
    const old = await twice(w);
    const since = w.statusWrites.length;
    let stale = true;
    listsShow(w, (shown) => {
      if (stale) Object.assign(shown, old);
    });
    w.resync();
    await w.pass(20);
    stale = false;
    await w.pass(900);
    expect(w.patches()).toHaveLength(2);
    expect(w.statusWrites.slice(since)).toEqual([]);
    expect(w.events.reasons()).not.toContain('DriftDetected');
  });

  scenario('is not drift if every third read is one of these, for an hour (K10)', GIVEN, async (w) => {
    const old = await twice(w);
    let looks = 0;
    listsShow(w, (shown) => {
      looks += 1;
      if (looks % 3 === 0) Object.assign(shown, old);
    });
    await w.pass(3600);
    expect(w.patches()).toHaveLength(2);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('delays an edit, which is not based on it (K10)', GIVEN, async (w) => {
    const old = await twice(w);
    let stale = true;
    listsShow(w, (shown) => {
      if (stale) Object.assign(shown, old);
    });
    w.resync();
    await w.pass(5);
    w.apply({ ...image(3), sourceConfig: { resourceSpec: { cpu: 2 } } });
    await w.pass(5);
    expect(w.patches()).toHaveLength(2);
    stale = false;
    await w.pass(100);
    expect(w.patches()).toHaveLength(3);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('is accepted once it lasts long enough, as after a real rollback (R10)', GIVEN, async (w) => {
    const old = await twice(w);
    let back = true;
    listsShow(w, (shown) => {
      if (back) Object.assign(shown, old);
    });
    await w.pass(150);
    expect(w.patches().length).toBeGreaterThan(2);
    expect(w.events.reasons()).toContain('DriftCorrected');
    back = false;
    await w.pass(600);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('is not assumed if an old revision is deployed again under a new id (H11)', GIVEN, async (w) => {
    await twice(w);
    w.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
    await w.pass(100);
    expect(w.patches()).toHaveLength(3);
    expect(w.kept().content.revisionConfig).toEqual({ image_uri: 'registry.example.com/agent:3' });
  });
});

describe('a deployment that occurs twice in one pass over the list', () => {
  for (const last of ['the old state', 'the new state']) {
    scenario(`counts with the newest known revision, if ${last} comes last (K10)`, GIVEN, async (w) => {
      const old = await twice(w);
      const handle = w.service.handle.bind(w.service);
      w.service.handle = async (request): Promise<SimulatedAnswer> => {
        const answer = await handle(request);
        if (request.method !== 'GET' || request.path !== '/v2/deployments') return answer;
        const body = JSON.parse(answer.body) as { resources: ShownDeployment[] };
        const both = body.resources.flatMap((shown) =>
          last === 'the old state' ? [shown, old] : [old, shown],
        );
        return { ...answer, body: JSON.stringify({ ...body, resources: both }) };
      };
      await w.pass(1200);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
      w.apply(image(4));
      await w.pass(60);
      expect(w.patches()).toHaveLength(3);
    });
  }
});

scenario(
  'a list from before the first revision takes back no loss that the status names',
  {
    deployments: [
      {
        name: AGENT,
        revisionConfig: { image_uri: 'registry.example.com/agent:1' },
        secrets: [{ name: 'BY_HAND', value: 'value-set-by-hand' }],
      },
    ],
    semantics: { topLevelOmit: 'cleared', secretsEcho: 'stars' },
  },
  async (w) => {
    w.apply({});
    await w.pass(100);
    const old = { ...(structuredClone(w.shown()) as unknown as ShownDeployment), latest_revision_id: null };
    w.apply(image(2));
    await w.pass(200);
    const { lost } = w.status();
    expect(lost).toEqual(['secrets.BY_HAND']);
    let stale = true;
    listsShow(w, (shown) => {
      if (stale) Object.assign(shown, old);
    });
    w.annotate('reconcile-at', 'now');
    await w.pass(20);
    expect(w.status().lost).toEqual(lost);
    stale = false;
    await w.pass(300);
    expect(w.status().lost).toEqual(lost);
    expect(w.patches()).toHaveLength(1);
  },
);
