import { describe, expect } from 'vitest';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { scenario } from '../support/scenario.ts';
import { listsShow } from '../support/shaped-answers.ts';
import { AGENT, type Given, type World } from '../support/world.ts';

const image = (tag: number): string => `registry.example.com/agent:${tag}`;
const LIVE = {
  name: AGENT,
  sourceConfig: { resource_spec: { cpu: 1, memory_mb: 1024 } },
  revisionConfig: { image_uri: image(1) },
};
const given = (semantics: SemanticsPatch = {}): Given => ({
  deployments: [LIVE],
  semantics: { revisionFor: 'revision-config', ...semantics },
});
const spec = (cpu: number, tag: number) => ({
  sourceConfig: { resourceSpec: { cpu } },
  sourceRevisionConfig: { imageURI: image(tag) },
});
const cpu = (w: World): unknown =>
  (w.kept().content.sourceConfig as { resource_spec: { cpu: unknown } }).resource_spec.cpu;

/** Sends our write of cpu 2, after which another client sets a value some seconds later. */
async function edited(w: World, afterSeconds: number, value: number | null): Promise<void> {
  w.apply(spec(1, 1));
  await w.pass(200);
  w.apply(spec(2, 2));
  await w.pass(afterSeconds);
  w.editAtService('source_config.resource_spec.cpu', value);
  await w.pass(2500);
}

describe('a value that another client set after our write of it', () => {
  for (const afterSeconds of [10, 30, 100, 200]) {
    scenario(
      `and that equals the previous one, ${afterSeconds} s later, is not rounding: it is corrected (B3)`,
      given(),
      async (w) => {
        await edited(w, afterSeconds, 1);
        expect(cpu(w)).toBe(2);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches()).toHaveLength(2);
      },
    );
  }

  for (const [about, semantics, afterSeconds] of [
    ['a rollout of 20 s', {}, 100],
    ['a rollout of 1500 s', { rollout: { kind: 'after', seconds: 1500 } }, 100],
    ['a rollout of 1500 s', { rollout: { kind: 'after', seconds: 1500 } }, 1200],
    ['a revision that never becomes active', { rollout: { kind: 'never-active' } }, 1700],
  ] as const) {
    scenario(
      `${afterSeconds} s later is drift, with ${about}: rounding ends with the first read after the window (B3)`,
      given(semantics),
      async (w) => {
        await edited(w, afterSeconds, 8);
        expect(cpu(w)).toBe(2);
        expect(w.condition('Synced')).toBe('True/InSync');
        expect(w.events.reasons()).toContain('DriftCorrected');
      },
    );
  }

  scenario(
    'within the window is drift if our write made no revision: the difference is too large for rounding',
    given(),
    async (w) => {
      w.apply(spec(1, 1));
      await w.pass(200);
      w.apply(spec(2, 1));
      await w.pass(10);
      w.editAtService('source_config.resource_spec.cpu', 8);
      await w.pass(300);
      expect(cpu(w)).toBe(2);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.events.reasons()).toContain('DriftCorrected');
    },
  );

  scenario(
    'within the window is also drift if no answer showed the value and only a list does',
    given({ patchEcho: 'pre', listLag: { seconds: 20 } }),
    async (w) => {
      w.apply({});
      await w.pass(60);
      w.apply({ sourceConfig: { resourceSpec: { queueMaxScale: 2 } } });
      await w.pass(2);
      w.editAtService('source_config.resource_spec.queue_max_scale', 8);
      await w.pass(300);
      expect(w.kept().content.sourceConfig).toMatchObject({ resource_spec: { queue_max_scale: 2 } });
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'within the window may be a late normalized form if our write made a revision, even after a refusal',
    given(),
    async (w) => {
      w.apply(spec(1, 1));
      await w.pass(200);
      w.apply(spec(2, 2));
      await w.pass(10);
      w.fault({ kind: 'status', status: 422 });
      w.apply(spec(2, 3));
      await w.pass(5);
      expect(w.condition('Synced')).toBe('False/Rejected');
      w.editAtService('source_config.resource_spec.cpu', 8);
      await w.pass(100);
      w.apply(spec(2, 4));
      await w.pass(300);
      expect(w.condition('Synced')).toBe('True/InSync');
      expect(cpu(w)).toBe(8);
    },
  );

  scenario('that was already rounded is drift: a write settles once (B3)', given(), async (w) => {
    w.apply(spec(1, 1));
    await w.pass(200);
    w.become({ normalise: ['round1'], normaliseAfterSeconds: 10 });
    w.apply(spec(0.25, 2));
    await w.pass(12);
    // In this state the list takes precedence over everything else.
    w.restart();
    await w.pass(15);
    w.editAtService('source_config.resource_spec.cpu', 8);
    await w.pass(300);
    expect(cpu(w)).toBe(0.25);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('after the window is drift, also if the operator then restarts', given(), async (w) => {
    w.apply(spec(1, 1));
    await w.pass(200);
    w.apply(spec(2, 2));
    await w.pass(120);
    w.editAtService('source_config.resource_spec.cpu', 8);
    w.restart();
    await w.pass(300);
    expect(cpu(w)).toBe(2);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'and that only rounds ours is no drift, also if the operator restarts before',
    given(),
    async (w) => {
      w.apply(spec(1, 1));
      await w.pass(200);
      w.become({ normalise: ['round1'], normaliseAfterSeconds: 55 });
      w.apply(spec(0.25, 2));
      await w.pass(20);
      w.restart();
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'and that only the first list after the window lowers is no drift, also if the operator restarts before',
    given(),
    async (w) => {
      let most = Number.POSITIVE_INFINITY;
      listsShow(w, (shown) => {
        const { resource_spec: shownSpec } = shown.source_config as { resource_spec: { cpu: number } };
        shownSpec.cpu = Math.min(shownSpec.cpu, most);
      });
      w.apply(spec(1, 1));
      await w.pass(200);
      w.apply(spec(9, 2));
      await w.pass(50);
      w.restart();
      await w.pass(12);
      most = 4;
      await w.pass(300);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario('is drift while a database is prepared, however long that takes (B3)', given(), async (w) => {
    w.apply(spec(1, 1));
    await w.pass(200);
    w.apply(spec(2, 2));
    await w.pass(1);
    let preparing = true;
    listsShow(w, (shown) => {
      if (preparing) shown['status'] = 'AWAITING_DATABASE';
    });
    await w.pass(700);
    w.editAtService('source_config.resource_spec.cpu', 8);
    await w.pass(100);
    expect(w.condition('Synced')).toBe('Unknown/Pending');
    preparing = false;
    await w.pass(200);
    expect(cpu(w)).toBe(2);
  });

  scenario('to null is not rounding either (B3)', given(), async (w) => {
    await edited(w, 30, null);
    expect(cpu(w)).toBe(2);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('and that equals the previous one is also corrected after a restart (B3)', given(), async (w) => {
    w.apply(spec(1, 1));
    await w.pass(200);
    w.apply(spec(2, 2));
    await w.pass(30);
    w.restart();
    w.editAtService('source_config.resource_spec.cpu', 1);
    await w.pass(300);
    expect(cpu(w)).toBe(2);
  });
});

describe('a branch', () => {
  scenario(
    'that is resolved to a commit late in a long rollout settles at that time (N36)',
    {
      deployments: [{ name: AGENT, source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
      semantics: { rollout: { kind: 'after', seconds: 900 } },
    },
    async (w) => {
      w.apply({ source: 'codehost', sourceRevisionConfig: { repoRef: 'release' } });
      await w.pass(600);
      // The list does not show the commit itself yet.
      listsShow(w, (shown) => {
        shown.source_revision_config = { repo_ref: 'd'.repeat(40) };
      });
      await w.pass(1500);
      expect(w.patches()).toHaveLength(1);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );
});
