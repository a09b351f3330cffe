import { describe, expect } from 'vitest';
import { uuidFrom } from '../../src/simulator/identifiers.ts';
import { DEFAULT_TENANT } from '../../src/simulator/world.ts';
import { scenario } from './support/scenario.ts';
import { AGENT, TENANT_HEADER } from './support/world.ts';

const THEIRS = uuidFrom('their tenant');
const DESIRED = { sourceConfig: { customURL: 'https://ours.example.com' } };
const URL_PATH = 'source_config.custom_url';

describe('somebody else who acts around our requests', () => {
  scenario('edits right after our write, and is corrected as drift', {}, async (w) => {
    const value = 'https://theirs.example.com';
    w.plan({ kind: 'edit', deployment: AGENT, path: URL_PATH, value }, { when: 'after', delaySeconds: 200 });
    w.apply(DESIRED);
    await w.pass(190);
    expect(w.acts).toEqual([]);
    await w.pass(300);
    expect(w.acts).toHaveLength(1);
    expect(w.patches()).toHaveLength(2);
    expect(w.kept().content.sourceConfig).toMatchObject({ custom_url: 'https://ours.example.com' });
  });

  scenario(
    'gives the credential another tenant for a while, and nothing is written meanwhile',
    { connection: { headers: [{ name: TENANT_HEADER, value: 'key' }] }, started: false },
    async (w) => {
      w.belongs('key', DEFAULT_TENANT);
      w.start();
      w.apply(DESIRED);
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      w.belongs('key', THEIRS);
      await w.pass(600);
      expect(w.condition('Synced')).not.toBe('True/InSync');
      w.belongs('key', DEFAULT_TENANT);
      await w.pass(900);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(1);
    },
  );
});
