import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const image = (tag: number) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const IMMUTABLE = 'False/ImmutableFieldChanged False/ImmutableFieldChanged';

// The rules of the API server refuse these edits. A folder or a restored copy has no such rules.
describe('an edit of the identity of a bound resource', () => {
  for (const [what, before, after] of [
    ['a name that was added', {}, { deploymentRef: { name: 'another' } }],
    ['another name', { deploymentRef: { name: AGENT } }, { deploymentRef: { name: 'another' } }],
  ] as const) {
    scenario(
      `(${what}) writes to neither of the two (H21)`,
      { deployments: [LIVE, { name: 'another' }] },
      async (w) => {
        w.apply({ ...image(1), ...before });
        await w.pass(60);
        const bound = w.status().deploymentID;
        w.apply({ ...image(2), ...after });
        await w.pass(700);
        expect(w.state()).toBe(IMMUTABLE);
        expect(w.status().deploymentID).toBe(bound);
        expect(w.bodies()).toEqual([]);
        w.apply({ ...image(2), ...before });
        await w.pass(120);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches().map(({ id }) => id)).toEqual([bound]);
      },
    );
  }

  scenario('(a removed id) is refused too (H21)', { deployments: [LIVE, { name: 'x' }] }, async (w) => {
    const { id } = w.kept();
    w.apply({ ...image(1), deploymentRef: { id: id.toUpperCase() } }, 'named-otherwise');
    await w.pass(60);
    expect(w.state('named-otherwise')).toBe('True/InSync True/Active');
    w.apply(image(2), 'named-otherwise');
    await w.pass(300);
    expect(w.state('named-otherwise')).toBe(IMMUTABLE);
    expect(w.bodies()).toEqual([]);
  });

  scenario('(the id of the bound deployment) is accepted', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(60);
    w.apply({ ...image(2), deploymentRef: { id: w.kept().id } });
    await w.pass(120);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    '(a new name, once the deployment is deleted) creates nothing under the new name (H21, H41)',
    { deployments: [LIVE, { name: 'x' }] },
    async (w) => {
      const creation = { policy: 'IfMissing', recreate: true } as const;
      w.apply({ ...image(1), creation });
      await w.pass(60);
      w.service.act({ kind: 'delete', deployment: AGENT });
      w.apply({ ...image(1), creation, deploymentRef: { name: 'another' } });
      await w.pass(300);
      expect(w.state()).toBe(IMMUTABLE);
      expect(w.service.log.count('create')).toBe(0);
    },
  );

  scenario(
    '(another source) is refused if lists show none (H22)',
    {
      deployments: [LIVE],
      semantics: { listShape: ['no-source-status'] },
    },
    async (w) => {
      w.apply(image(2));
      await w.pass(90);
      expect(w.status().source).toBe('external_container');
      w.apply({ source: 'codehost', ...image(3) });
      await w.pass(300);
      expect(w.state()).toBe('False/SourceMismatch False/SourceMismatch');
      expect(w.patches()).toHaveLength(1);
    },
  );
});

describe('a spec that the edition of the connection does not support', () => {
  scenario(
    'is refused before any call (H28)',
    { deployments: [], connection: { edition: 'Hosted' } },
    async (w) => {
      await w.pass(5);
      const before = w.service.log.requests().length;
      w.apply(image(1));
      await w.pass(5);
      expect(w.state()).toBe('False/InvalidSpec False/InvalidSpec');
      expect(w.service.log.requests().length).toBe(before);
      w.apply({ ...image(1), source: 'internal_container' });
      await w.pass(30);
      expect(w.condition('Synced')).toBe('False/NotFound');
    },
  );
});

describe('a deleted deployment', () => {
  scenario(
    'may have left its name and a tracing project behind, and the message says so (H41)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      w.service.act({ kind: 'delete', deployment: AGENT });
      await w.pass(180);
      expect(w.condition('Synced')).toBe('False/NotFound');
      expect(w.message()).toContain('tracing project');
    },
  );
});

describe('a deployment that the service is about to delete', () => {
  scenario('gets neither a correction nor a redeploy (H42)', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(5);
    w.editAtService('status', 'AWAITING_DELETE');
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
    await w.pass(120);
    w.annotate('redeploy', '1');
    await w.pass(120);
    expect(w.state()).toBe('False/BeingDeleted False/BeingDeleted');
    expect(w.message()).toContain('AWAITING_DELETE');
    expect(w.bodies()).toEqual([]);
  });
});
