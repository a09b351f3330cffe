import { describe, expect } from 'vitest';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { killAt } from '../support/crash.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SPEC = {
  source: 'internal_container',
  creation: { policy: 'IfMissing', recreate: true },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
} as const;

const creations = (w: World) => w.service.log.count('create');

/** Creates a deployment, which another client then deletes. Returns its id. */
async function vanished(w: World): Promise<string> {
  w.apply(SPEC);
  await w.pass(120);
  expect(w.state()).toBe('True/InSync True/Active');
  const { id } = w.kept();
  w.service.act({ kind: 'delete', deployment: id });
  return id;
}

function addNamesake(w: World, id: string): void {
  w.service.act({ kind: 'add', seed: { ...deploymentSeed(AGENT, { source: SPEC.source }), id } });
}

describe('a recreated deployment', () => {
  for (const duplicateNames of ['refused-409', 'allowed'] as const) {
    scenario(
      `by a creation without an answer is asked for once, where a name that is taken is ${duplicateNames} (H40, H41)`,
      { deployments: [], semantics: { duplicateNames } },
      async (w) => {
        const gone = await vanished(w);
        w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'create' } });
        const atPost: unknown[] = [];
        w.moments.leaving = ({ method }) => {
          if (method === 'POST') atPost.push([w.status().creation?.state, w.status().deploymentID]);
        };
        await w.pass(900);
        expect(atPost, 'what stands in status when the request leaves').toEqual([['Pending', undefined]]);
        expect(creations(w)).toBe(2);
        expect(w.service.deployments()).toHaveLength(1);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.status().deploymentID).not.toBe(gone);
      },
    );
  }

  scenario(
    'needs no passes of its own: those that show the old one as gone show that the name is free',
    { deployments: [{ name: AGENT }, { name: 'other' }] },
    async (w) => {
      w.apply({ ...SPEC, source: 'external_container' });
      await w.pass(120);
      w.service.act({ kind: 'delete', deployment: w.kept().id });
      const before = w.service.log.count('list');
      while (creations(w) < 1) await w.pass(1);
      // A sweep wakes the resource. Two passes follow at once, and one when the window is over; each ends at an empty page.
      expect(w.service.log.count('list') - before).toBe(7);
      await w.pass(300);
    },
  );

  scenario(
    'is created once while lists omit it, and again on a user’s request',
    { deployments: [], semantics: { duplicateNames: 'allowed' } },
    async (w) => {
      await vanished(w);
      w.moments.leaving = ({ method }) => {
        if (method === 'POST') w.become({ listShows: 'nothing' });
      };
      await w.pass(3_000);
      expect(creations(w)).toBe(2);
      expect(w.condition('Synced')).toBe('False/NotFound');
      expect(w.message()).toContain('no list has shown it since');
      w.annotate('reconcile-at', 'now');
      await w.pass(600);
      expect(creations(w)).toBe(3);
      w.disarm();
      w.become({ listShows: 'all' });
      await w.pass(600);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is not created twice if a new process reads lists that may lag behind the creation (H31)',
    { deployments: [], semantics: { duplicateNames: 'allowed', appearsSeconds: 55 } },
    async (w) => {
      w.apply(SPEC);
      await w.pass(2);
      expect(creations(w)).toBe(1);
      w.restart();
      await w.pass(900);
      expect(creations(w)).toBe(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'is not created beside another deployment with its name, and does not adopt that one (H26, H41)',
    { deployments: [], semantics: { duplicateNames: 'allowed' } },
    async (w) => {
      const gone = await vanished(w);
      const next = uuidFrom('the next one');
      addNamesake(w, next);
      await w.pass(600);
      expect(w.condition('Synced')).toBe('False/NotFound');
      expect(w.message()).toContain(next);
      expect(w.status().deploymentID).toBe(gone);
      expect([creations(w), w.patches().length]).toEqual([1, 0]);
      w.apply({ ...SPEC, creation: { policy: 'Never' }, deploymentRef: { id: next } });
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches().map(({ id }) => id)).toEqual([next]);
    },
  );

  scenario(
    'under a name that the service keeps to itself is asked for once in half an hour (H40, H41)',
    { deployments: [] },
    async (w) => {
      const gone = await vanished(w);
      w.fault({ kind: 'status', status: 409 }, { match: { operation: 'create' } });
      await w.pass(1500);
      expect(w.state()).toBe('False/NameTaken False/NameTaken');
      expect(creations(w)).toBe(2);
      expect(w.status().deploymentID, 'nothing is made yet that could be meant instead').toBe(gone);
      await w.pass(900);
      expect(creations(w)).toBe(3);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const [isSeen, why, requests] of [
    [true, 'at once if lists showed it in between', 3],
    [false, 'in half an hour if no list showed it', 2],
  ] as const) {
    scenario(
      `after a refusal that lists had provoked by hiding it is asked for ${why} (H26, H41)`,
      { deployments: [], semantics: { duplicateNames: 'refused-409' } },
      async (w) => {
        w.apply(SPEC);
        await w.pass(120);
        const { id } = w.kept();
        w.become({ listShows: 'nothing' });
        await w.pass(240);
        expect(w.state()).toBe('False/NameTaken False/NameTaken');
        expect(creations(w)).toBe(2);
        if (isSeen) {
          w.become({ listShows: 'all' });
          await w.pass(180);
          expect(w.state()).toBe('True/InSync True/Active');
        }
        w.service.act({ kind: 'delete', deployment: id });
        w.become({ listShows: 'all' });
        await w.pass(300);
        expect(creations(w)).toBe(requests);
        expect(w.condition('Synced')).toBe(isSeen ? 'True/InSync' : 'False/NameTaken');
        await w.pass(1_800);
        expect(creations(w)).toBe(3);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );
  }

  for (const [status, requests] of [
    [409, [2, 3]],
    [403, [1, 2]],
  ] as const) {
    scenario(
      `that lists hide again and again is asked for ${requests.join(' and ')} times in two half hours, if each is answered with ${status} (H26, H41)`,
      { deployments: [] },
      async (w) => {
        w.apply(SPEC);
        await w.pass(120);
        const before = creations(w);
        w.fault({ kind: 'status', status }, { match: { operation: 'create' }, times: 99 });
        const counts: number[] = [];
        for (let half = 0; half < 2; half += 1) {
          for (let turn = 0; turn < 5; turn += 1) {
            w.become({ listShows: 'nothing' });
            await w.pass(240);
            w.become({ listShows: 'all' });
            await w.pass(120);
            expect(w.state()).toBe('True/InSync True/Active');
          }
          counts.push(creations(w) - before);
        }
        expect(counts).toEqual(requests);
      },
    );
  }

  scenario(
    'and waits for approval says so all the time, and is approved once (H58)',
    { deployments: [] },
    async (w) => {
      await vanished(w);
      w.apply({ ...SPEC, approval: 'Manual' });
      await w.pass(120);
      expect(w.state()).toBe('False/AwaitingApproval False/AwaitingApproval');
      const writes = w.statusWrites.length;
      await w.pass(3000);
      expect(w.statusStory(writes)).toEqual([]);
      w.annotate('approve', w.status().plan?.hash ?? '');
      await w.pass(120);
      expect(creations(w)).toBe(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'that another client keeps deleting is created as often as the revision budget allows (H10, H41)',
    { deployments: [] },
    async (w) => {
      await vanished(w);
      for (let n = 0; n < 23; n += 1) {
        await w.pass(150);
        const { id } = w.service.deployment(AGENT) ?? {};
        if (id !== undefined) w.service.act({ kind: 'delete', deployment: id });
      }
      expect(creations(w)).toBe(6);
      expect(w.condition('Synced')).toBe('False/RevisionBudgetExhausted');
      await w.pass(7200);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  for (const point of ['after the announcement', 'before the record'] as const) {
    scenario(`is created once by a process that dies ${point} (H40, H41)`, { deployments: [] }, async (w) => {
      const gone = await vanished(w);
      const killed = killAt(w, point);
      await w.pass(180);
      expect(killed()).toBe(true);
      w.start();
      await w.pass(400);
      expect(w.service.deployments()).toHaveLength(1);
      expect(creations(w)).toBe(2);
      expect(w.status().deploymentID).not.toBe(gone);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }
});

describe('a creation whose result never appears', () => {
  for (const how of ['reconcile-at', 'an edit'] as const) {
    scenario(`is requested again by ${how}, after two attempts (H40)`, { deployments: [] }, async (w) => {
      w.fault({ kind: 'hang' }, { match: { operation: 'create' }, times: 4 });
      w.apply(SPEC);
      await w.pass(4000);
      expect(creations(w)).toBe(2);
      expect(w.state()).toBe('False/NotFound False/NotFound');
      expect(w.condition('Stalled'), 'a person has to look').toBe('True/NotFound');
      expect(w.message()).toContain('asked for its creation 2 times');
      if (how === 'an edit') w.apply({ ...SPEC, sourceConfig: { customURL: 'https://a.example.com' } });
      else w.annotate('reconcile-at', 'now');
      await w.pass(4000);
      expect(creations(w), 'two more').toBe(4);
      expect(w.condition('Synced')).toBe('False/NotFound');
      w.annotate('reconcile-at', 'once more');
      await w.pass(120);
      expect(creations(w)).toBe(5);
      expect(w.state()).toBe('True/InSync True/Active');
    });
  }
});
