import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
};

describe('a service whose list works while it answers every PATCH', () => {
  for (const status of [404, 410]) {
    scenario(
      `with ${status} gets requests with backoff, and the change after its recovery`,
      GIVEN,
      async (w) => {
        w.apply(image(1));
        await w.pass(30);
        w.fault({ kind: 'status', status }, { times: 0 });
        w.apply(image(2));
        await w.pass(600);
        expect(w.patches().length).toBeLessThanOrEqual(15);
        expect(w.state()).toBe('Unknown/Retrying Unknown/Retrying');
        w.service.faults.clear();
        await w.pass(400);
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.revisionsMade()).toBe(1);
      },
    );
  }

  scenario('with 401 gets no new request before the credential has had time to change', GIVEN, async (w) => {
    w.apply(image(1));
    await w.pass(30);
    w.fault({ kind: 'status', status: 401 }, { times: 0 });
    w.apply(image(2));
    await w.pass(600);
    expect(w.patches().length).toBeLessThanOrEqual(3);
    expect(w.connectionState()).toBe('False/AuthFailed');
    expect(w.condition('Synced')).toBe('Unknown/ConnectionNotReady');
    w.service.faults.clear();
    await w.pass(400);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.revisionsMade()).toBe(1);
  });

  scenario('with 401 causes no message if nothing remains to be written', GIVEN, async (w) => {
    w.apply(image(1));
    await w.pass(30);
    w.fault({ kind: 'status', status: 401 }, { times: 0 });
    w.apply(image(2));
    await w.pass(60);
    w.apply(image(1));
    await w.pass(400);
    expect(w.state()).toBe('True/InSync True/Active');
    const written = w.statusWrites.length;
    await w.pass(1200);
    expect(w.statusWrites.slice(written)).toEqual([]);
    expect(w.connectionState()).toBe('True/Ok');
  });

  const MANY = Array.from({ length: 8 }, (_, n) => `agent-${n}`);
  const MANY_GIVEN = {
    deployments: MANY.map((name) => ({
      name,
      revisionConfig: { image_uri: 'registry.example.com/agent:1' },
    })),
  };

  scenario(
    'with 401 stays refused until a write succeeds: one resource tries, every five minutes, and no condition flaps',
    MANY_GIVEN,
    async (w) => {
      for (const name of MANY) w.apply(image(1), name);
      await w.pass(30);
      w.fault({ kind: 'status', status: 401 }, { times: 0 });
      for (const name of MANY.slice(0, 4)) w.apply(image(2), name);
      await w.pass(400);
      const [written, patches] = [w.statusWrites.length, w.patches().length];
      const told = w.events.reasons().filter((reason) => reason === 'AuthFailed').length;
      const tried = w.patches().at(-1)?.id;
      await w.pass(1800);
      expect(w.connectionState()).toBe('False/AuthFailed');
      const more = w.patches().slice(patches);
      expect(more.length).toBeGreaterThanOrEqual(4);
      expect(more.length).toBeLessThanOrEqual(6);
      expect(new Set(more.map(({ id }) => id))).toEqual(new Set([tried]));
      expect(w.events.reasons().filter((reason) => reason === 'AuthFailed')).toHaveLength(told);
      const others = w.statusWrites.slice(written).filter(({ name }) => w.kept(name).id !== tried);
      // A resource that was Ready stays so for five minutes only.
      expect(others.length).toBeLessThanOrEqual(MANY.length);
      w.service.faults.clear();
      await w.pass(340);
      expect(w.connectionState()).toBe('True/Ok');
      await w.pass(60);
      for (const name of MANY) expect(w.state(name)).toBe('True/InSync True/Active');
      expect(w.patches().length - patches - more.length).toBe(4);
    },
  );

  scenario('with 401 counts as working again if the write is dropped', MANY_GIVEN, async (w) => {
    for (const name of MANY) w.apply(image(1), name);
    await w.pass(30);
    w.fault({ kind: 'status', status: 401 });
    w.apply(image(2), 'agent-0');
    await w.pass(30);
    expect(w.connectionState()).toBe('False/AuthFailed');
    w.apply(image(1), 'agent-0');
    await w.pass(1_000);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.patches()).toHaveLength(1);
    for (const name of MANY) expect(w.state(name)).toBe('True/InSync True/Active');
  });

  scenario('with 401 gets a request at once with another credential', GIVEN, async (w) => {
    w.putSecret('service-credentials', { key: 'the-old-credential' });
    w.connect({
      headers: [
        { name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'key' } } },
      ],
    });
    w.apply(image(1));
    await w.pass(30);
    w.fault({ kind: 'status', status: 401 });
    w.apply(image(2));
    await w.pass(60);
    expect(w.connectionState()).toBe('False/AuthFailed');
    w.putSecret('service-credentials', { key: 'the-new-credential' });
    await w.pass(30);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.patches()).toHaveLength(2);
  });
});
