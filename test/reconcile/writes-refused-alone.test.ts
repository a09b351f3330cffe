import { describe, expect } from 'vitest';
import { scenario } from './support/scenario.ts';
import { AGENT } from './support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
};

describe('a service whose list is fine while it answers every PATCH', () => {
  for (const status of [404, 410]) {
    scenario(
      `with ${status} is asked ever more rarely, and sent the change when it is found`,
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

  scenario('with 401 is not asked again before the credential has had time to change', GIVEN, async (w) => {
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

  scenario('with 401 is asked at once with another credential', GIVEN, async (w) => {
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
