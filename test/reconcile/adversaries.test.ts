import { describe, expect } from 'vitest';
import { uuidFrom } from '../../src/simulator/values/identifiers.ts';
import { DEFAULT_TENANT } from '../../src/simulator/state/world.ts';
import { judgedScenario } from './support/scenario.ts';
import { AGENT, TENANT_HEADER } from './support/world.ts';

const THEIRS = uuidFrom('their tenant');
const DESIRED = { sourceConfig: { customURL: 'https://ours.example.com' } };
const IMAGE = { imageURI: 'registry.example.com/agent:1' };
const URL_PATH = 'source_config.custom_url';

describe('another client that changes a deployment around our requests', () => {
  judgedScenario(
    'edits right after our write, and the operator corrects the edit as drift',
    {},
    async (w) => {
      const value = 'https://theirs.example.com';
      w.plan(
        { kind: 'edit', deployment: AGENT, path: URL_PATH, value },
        { when: 'after', delaySeconds: 200 },
      );
      w.apply(DESIRED);
      await w.pass(190);
      expect(w.acts).toEqual([]);
      await w.pass(300);
      expect(w.acts).toHaveLength(1);
      expect(w.patches()).toHaveLength(2);
      expect(w.kept().content.sourceConfig).toMatchObject({ custom_url: 'https://ours.example.com' });
    },
  );

  judgedScenario(
    'moves the credential to another tenant for a while, and the operator writes nothing meanwhile',
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

const TWO = [{ name: 'a' }, { name: 'b' }];

describe('a service that lists less than it has', () => {
  judgedScenario(
    'hides half of its list for a minute: the operator creates, releases and writes nothing',
    { deployments: TWO },
    async (w) => {
      for (const name of ['a', 'b']) w.apply(DESIRED, name);
      await w.pass(120);
      w.become({ listShows: 'half' }, { seconds: 60 });
      w.resync();
      await w.pass(1200);
      for (const name of ['a', 'b']) expect(w.state(name)).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(2);
      expect(w.acts).toEqual([]);
    },
  );

  judgedScenario(
    'lists one deployment in an unreadable form: the operator does not write to it meanwhile',
    { deployments: TWO },
    async (w) => {
      for (const name of ['a', 'b']) w.apply(DESIRED, name);
      await w.pass(120);
      w.become({ listItem: 'big-integer' }, { deployment: 'a', seconds: 300 });
      w.apply({ sourceConfig: { customURL: 'https://new.example.com' } }, 'b');
      await w.pass(290);
      expect(w.state('b')).toBe('True/InSync True/Active');
      await w.pass(1200);
      expect(w.state('a')).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(3);
    },
  );

  judgedScenario(
    'lists an item without an id and a name: a creation waits for that, and goes on soon after it',
    { deployments: TWO },
    async (w) => {
      await w.pass(120);
      w.become({ listItem: 'no-object' }, { deployment: 'a', seconds: 300 });
      w.apply({ creation: { policy: 'IfMissing' }, sourceRevisionConfig: IMAGE }, 'c');
      await w.pass(290);
      expect(w.service.deployments()).toHaveLength(2);
      await w.pass(130);
      expect(w.service.deployments()).toHaveLength(3);
      expect(w.state('c')).toBe('True/InSync True/Active');
    },
  );
});

describe('a service that allows one request every two seconds, and enforces a pause of 30 seconds', () => {
  judgedScenario(
    'receives every edit in one PATCH',
    {
      deployments: TWO,
      semantics: { rateLimit: { requests: 1, seconds: 2 }, retryAfterSeconds: 30 },
      connection: { rateLimit: { requestsPerSecond: 0.4, burst: 1, concurrency: 1 } },
    },
    async (w) => {
      for (const name of ['a', 'b']) w.apply(DESIRED, name);
      await w.pass(300);
      for (const name of ['a', 'b']) expect(w.state(name)).toBe('True/InSync True/Active');
      expect(w.patches().filter(({ status }) => status === 200)).toHaveLength(2);
    },
  );
});
