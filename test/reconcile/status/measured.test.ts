import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const C = 'Connection/team-a/default';
const image = (tag: number | string) => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` },
});
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

/** Counts for all resources of the connection, by the first word of their line. */
function counts(w: World, ...lines: readonly string[]): readonly number[] {
  return lines.map((line) => w.metrics.count(line));
}

describe('the metrics', () => {
  scenario(
    'count an edit: its write and its revision, each once, whatever follows',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      expect(counts(w, `editSent ${C}`, `editActive ${C}`)).toEqual([0, 0]);
      w.apply(image(2));
      await w.pass(10);
      expect(counts(w, `editSent ${C}`, `editActive ${C}`)).toEqual([1, 0]);
      await w.pass(200);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
      await w.pass(200);
      w.restart();
      await w.pass(200);
      expect(counts(w, `editSent ${C}`, `editActive ${C}`)).toEqual([1, 1]);
    },
  );

  scenario(
    'count nothing for an edit without a change, even hours later',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(600);
      w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
      await w.pass(200);
      expect(w.patches()).toHaveLength(1);
      expect(counts(w, `editSent ${C}`, `editActive ${C}`)).toEqual([0, 0]);
    },
  );

  scenario(
    'count revisions: ours and those of other clients',
    { deployments: [{ name: AGENT, source: 'codehost', sourceConfig: { build_on_push: true } }] },
    async (w) => {
      const ref = (repoRef: string) => ({ source: 'codehost' as const, sourceRevisionConfig: { repoRef } });
      w.apply(ref('main'));
      await w.pass(60);
      w.service.act({ kind: 'push', deployment: AGENT, commit: 'a'.repeat(40) });
      await w.pass(200);
      w.restart();
      await w.pass(200);
      const causes = ['Operator', 'External'].map((cause) => `revised ${C} ${cause}`);
      expect(counts(w, ...causes)).toEqual([1, 1]);
      expect(w.metrics.sum('revised')).toBe(2);
    },
  );

  scenario('count drift: corrected three times, then suspended', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(60);
    for (const n of [1, 2, 3, 4]) {
      w.editAtService('source_revision_config.image_uri', `registry.example.com/agent:by-hand-${n}`);
      await w.pass(300);
    }
    await w.pass(300);
    expect(w.condition('Synced')).toBe('False/DriftCorrectionSuspended');
    expect(counts(w, `drifted ${C} corrected`, `drifted ${C} suspended`)).toEqual([3, 1]);
  });

  scenario('count drift: reported once', { deployments: [LIVE] }, async (w) => {
    w.apply({ ...image(1), driftPolicy: 'Report' });
    await w.pass(60);
    w.editAtService('source_revision_config.image_uri', 'registry.example.com/agent:by-hand');
    await w.pass(600);
    w.restart();
    await w.pass(200);
    expect(w.metrics.count(`drifted ${C} reported`)).toBe(1);
    expect(w.events.reasons().filter((reason) => reason === 'DriftDetected')).toHaveLength(1);
  });

  scenario('count resources by condition, until they are deleted', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(60);
    expect(w.metrics.count('resourceShown True Active')).toBeGreaterThan(0);
    expect(w.metrics.count('resourceShown True Ok')).toBeGreaterThan(0);
    w.store.remove(keyOf(AGENT));
    await w.pass(60);
    expect(w.metrics.count('resourceGone')).toBe(1);
  });
});

describe('the log line of a write', () => {
  scenario(
    'has the id of its request, which the service receives as well',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      w.apply(image(2));
      await w.pass(60);
      const lines = w.logger.lines.filter(({ message }) => message === 'wrote to the service');
      expect(lines.map(({ fields }) => fields['requestID'])).toEqual(
        w.patches().map(({ requestID }) => requestID),
      );
      expect(lines[0]?.fields).toMatchObject({
        requestID: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
        resource: 'team-a/support-agent',
        generation: 2,
        cause: 'spec',
        paths: ['sourceRevisionConfig.imageURI'],
        revisionBefore: expect.any(String) as string,
        revisionAfter: w.status().latestRevisionID,
      });
    },
  );

  scenario(
    'has the id after a refusal too, and another one for each request',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      w.fault({ kind: 'status', status: 409 }, { times: 2 });
      w.apply(image(2));
      await w.pass(60);
      const ids = w.patches().map(({ requestID }) => requestID);
      expect(new Set(ids).size).toBe(3);
      const lines = w.logger.lines.filter(({ message }) => message === 'wrote to the service');
      expect(lines.map(({ fields }) => fields['requestID'])).toEqual(ids);
    },
  );
});

describe('the log line of a decision', () => {
  scenario(
    'is written when the decision changes, and warns if a person must act',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      w.apply(image(1), 'nobody');
      await w.pass(600);
      w.restart();
      await w.pass(600);
      const lines = w.logger.lines.filter(({ message }) => message === 'decided');
      expect(
        lines.map(({ level, fields }) => [level, fields['resource'], fields['plan'], fields['shown']]),
      ).toEqual([
        ['info', 'team-a/support-agent', 'nothing', 'Ready=True/Active Synced=True/InSync'],
        ['warn', 'team-a/nobody', 'blocked', 'Ready=False/NotFound Synced=False/NotFound'],
      ]);
    },
  );

  scenario('is written once for each reason of a connection', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(60);
    w.fault({ kind: 'status', status: 401 }, { match: { operation: 'list' }, times: 3 });
    await w.pass(900);
    const lines = w.logger.lines.filter(({ message }) => message === 'a connection was checked');
    expect(lines.map(({ level, fields }) => [level, fields['connection'], fields['reason']])).toEqual([
      ['info', C, 'Ok'],
      ['warn', C, 'AuthFailed'],
      ['info', C, 'Ok'],
    ]);
  });
});
