import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = {
  name: AGENT,
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
  sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 } },
};

describe('while the list fails and writes work', () => {
  scenario('an edit is not sent before a read has succeeded (H62)', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(30);
    const body = '{"resources":[],"offset":0}';
    w.fault({ kind: 'status', status: 503, body }, { match: { operation: 'list' }, times: 0 });
    await w.pass(600);
    w.apply(image(2));
    await w.pass(300);
    expect(w.patches()).toEqual([]);
    expect(w.condition('Synced')).toBe('Unknown/ConnectionNotReady');
    w.service.faults.clear();
    await w.pass(400);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.patches()).toHaveLength(1);
  });

  scenario(
    'a block that is sent whole is not based on an old read (H2)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 1 } } });
      await w.pass(100);
      w.editAtService('source_config.resource_spec.memory_mb', 2048);
      w.fault({ kind: 'reset-before' }, { match: { operation: 'list' }, times: 0 });
      w.apply({ sourceConfig: { resourceSpec: { cpu: 2 } } });
      await w.pass(50);
      expect(w.patches()).toEqual([]);
      w.service.faults.clear();
      await w.pass(400);
      expect(w.kept().content.sourceConfig['resource_spec']).toEqual({ cpu: 2, memory_mb: 2048 });
    },
  );
});

describe('an answer that shows', () => {
  scenario(
    '429 to a PATCH makes the connection RateLimited, and no resource Ready (H63)',
    { deployments: Array.from({ length: 8 }, (_, n) => ({ name: `agent-${n}` })) },
    async (w) => {
      await w.pass(5);
      w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '5' } }, { times: 4 });
      for (let n = 0; n < 8; n += 1) w.apply(image(1), `agent-${n}`);
      await w.pass(3);
      expect(w.connectionState()).toBe('False/RateLimited');
      for (let n = 0; n < 8; n += 1) expect(w.condition('Ready', `agent-${n}`) ?? '').not.toMatch(/^True/);
      await w.pass(120);
      for (let n = 0; n < 8; n += 1) expect(w.state(`agent-${n}`)).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'a status that the list never shows is used from then on (H34)',
    { deployments: [LIVE], semantics: { listShape: ['no-source-status'] } },
    async (w) => {
      w.apply(image(1));
      await w.pass(30);
      expect(w.condition('Ready')).toBe('True/ActiveStatusNotShown');
      w.apply(image(2));
      await w.pass(5);
      expect(w.status().serviceStatus).toBe('READY');
      await w.pass(300);
      expect(w.condition('Ready')).toMatch(/^True\//);
    },
  );

  scenario(
    'a field that is always shown in another form causes at most two writes (H10)',
    {
      deployments: [LIVE],
      semantics: { fieldRules: { 'source_revision_config.image_uri': 'ignored' } },
    },
    async (w) => {
      w.apply(image(2));
      await w.pass(4 * 3600);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('False/NotConverging False/NotConverging');
    },
  );

  scenario(
    'another form than the sent one is noted in the message (H36)',
    { deployments: [LIVE], semantics: { normalise: ['round1'] } },
    async (w) => {
      w.apply({ sourceConfig: { resourceSpec: { cpu: 0.25 } }, ...image(1) });
      await w.pass(300);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.message()).toMatch(
        /the service shows these in another form: sourceConfig\.resourceSpec\.cpu$/,
      );
      w.apply({ sourceConfig: { resourceSpec: { cpu: 0.5 } }, ...image(1) });
      await w.pass(300);
      expect(w.message()).toBe('the service shows what the spec asks for');
    },
  );
});
