import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const EVIL = 'MELT\u001b[31m\nDOWN';
const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });

/** Expects no control character and no text above its length limit in all output. */
function expectPlainTexts(w: World): void {
  const messages = [
    ...w.statusWrites.flatMap(({ after }) => (after.conditions ?? []).map(({ message }) => message)),
    ...(w.connectionStatus().conditions ?? []).map(({ message }) => message),
    ...w.events.all.map(({ event }) => event.message),
  ];
  for (const message of messages) {
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  }
  const statuses = JSON.stringify(w.statusWrites.map(({ after }) => after));
  expect(statuses).not.toContain('\\u001b');
}

describe('text from the service', () => {
  scenario('is shown without control characters, in every field', {}, async (w) => {
    w.apply(image(1));
    await w.pass(60);
    w.editAtService('status', EVIL);
    w.editAtService('image_version', EVIL);
    w.editAtService('source_revision_config.repo_ref', EVIL);
    await w.pass(120);
    expect(w.state()).toBe('True/InSync Unknown/UnknownState');
    expect(w.status().conditions?.[0]?.message).toBe('the service shows state MELT [31m DOWN');
    expect(w.status()).toMatchObject({ serviceStatus: 'MELT [31m DOWN', imageVersion: 'MELT [31m DOWN' });
    expectPlainTexts(w);
  });

  scenario(
    'is shown without control characters if it names a source or secrets',
    {
      deployments: [
        { name: AGENT, secrets: [{ name: EVIL, value: 'set-by-hand-value' }] },
        { name: 'other', source: EVIL },
      ],
    },
    async (w) => {
      w.apply({ secrets: [{ name: 'A', value: 'the-value-of-a' }] });
      w.apply({}, 'other');
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
      expect(w.message()).toContain('MELT [31m DOWN');
      expect(w.condition('Synced', 'other')).toBe('False/SourceMismatch');
      expect(w.message('other')).toContain('MELT [31m DOWN');
      expectPlainTexts(w);
    },
  );

  scenario('that is drift is shown without control characters, and truncated', {}, async (w) => {
    w.apply({ ...image(1), driftPolicy: 'Report' });
    await w.pass(60);
    w.editAtService('source_revision_config.image_uri', `${EVIL}${'é'.repeat(2000)}`);
    await w.pass(120);
    expect(w.condition('Synced')).toBe('False/DriftReported');
    expect(w.status().plan?.changes[0]?.from).toMatch(/^MELT \[31m DOWNé+…$/);
    expectPlainTexts(w);
  });
});
