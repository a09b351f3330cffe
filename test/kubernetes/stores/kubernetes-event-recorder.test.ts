import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { KubernetesEventRecorder } from '../../../src/kubernetes/stores/kubernetes-event-recorder.ts';
import type { Event } from '../../../src/model/outcome/event.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const start = useClusterWorlds(useControlPlane());

const bound: Event = { type: 'Normal', reason: 'Bound', action: 'Bind', message: 'bound to agent' };

interface WrittenEvent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly note: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** Creates a recorder whose windows advance only when the test says so. The requests themselves take real time. */
async function world(): Promise<
  ClusterWorld & {
    clock: VirtualClock;
    recorder: KubernetesEventRecorder;
    about: DeploymentResource;
    events(): Promise<WrittenEvent[]>;
    settled(count: number): Promise<void>;
  }
> {
  const base = await start();
  const clock = new VirtualClock({ startMs: systemClock.now() });
  const { transport } = base.adapter;
  const recorder = new KubernetesEventRecorder({ transport, clock, logger: base.logger, instance: 'pod-1' });
  onTestFinished(() => recorder.flush());
  await base.create('agent');
  const about = (await base.api('GET', base.deployments('agent'))) as unknown as DeploymentResource;
  const sent = base.counted.requests.length;
  return {
    ...base,
    clock,
    recorder,
    about,
    async events() {
      const list = await base.api('GET', `/apis/events.k8s.io/v1/namespaces/${base.namespace}/events`);
      return list['items'] as WrittenEvent[];
    },
    async settled(count) {
      await expect.poll(() => base.counted.requests.length - sent).toBe(count);
    },
  };
}

describe('the event recorder', () => {
  it('writes an event about a resource into its namespace', async () => {
    const { recorder, about, events, settled, namespace } = await world();
    recorder.record(about, bound);
    await settled(1);
    expect(await events()).toMatchObject([
      {
        metadata: { namespace },
        type: 'Normal',
        reason: 'Bound',
        action: 'Bind',
        note: 'bound to agent',
        reportingController: 'dms-operator',
        reportingInstance: 'pod-1',
        regarding: {
          apiVersion: API_VERSION,
          kind: 'Deployment',
          name: 'agent',
          namespace,
          uid: about.metadata.uid,
        },
      },
    ]);
  });

  it('counts repeated events in a series: the first at once, later ones together', async () => {
    const { recorder, about, events, settled, clock } = await world();
    recorder.record(about, bound);
    await settled(1);
    recorder.record(about, bound);
    await settled(2);
    expect(await events()).toMatchObject([{ series: { count: 2 } }]);
    for (let turn = 0; turn < 10; turn += 1) recorder.record(about, bound);
    await clock.advance(29_000);
    expect(await events()).toMatchObject([{ series: { count: 2 } }]);
    await clock.advance(2000);
    await settled(3);
    expect(await events()).toMatchObject([{ series: { count: 12 } }]);
  });

  it('begins a new event after a quiet time, or for another message', async () => {
    const { recorder, about, events, settled, clock } = await world();
    recorder.record(about, bound);
    recorder.record(about, { ...bound, message: 'bound to another' });
    await settled(2);
    await clock.advance(361_000);
    recorder.record(about, bound);
    await settled(3);
    expect((await events()).map(({ note }) => note).toSorted()).toEqual([
      'bound to agent',
      'bound to agent',
      'bound to another',
    ]);
  });

  it('limits an object with too many events, and no other', async () => {
    const { recorder, about, events, settled, clock } = await world();
    for (let turn = 0; turn < 40; turn += 1) recorder.record(about, { ...bound, message: `number ${turn}` });
    const other = { ...about, metadata: { ...about.metadata, name: 'other', uid: 'other' } };
    recorder.record(other, bound);
    await settled(26);
    expect(await events()).toHaveLength(26);
    await clock.advance(61_000);
    recorder.record(about, { ...bound, message: 'one more' });
    recorder.record(about, { ...bound, message: 'and one too many' });
    await settled(27);
  });

  it('writes about a cluster resource into the namespace "default"', async () => {
    const { recorder, namespace, api, settled } = await world();
    const about: ConnectionResource = {
      apiVersion: API_VERSION,
      kind: 'ClusterConnection',
      metadata: { name: `shared-${namespace}`, uid: namespace },
      spec: { baseURL: 'https://deploy.example.com' },
    };
    recorder.record(about, { ...bound, message: 'x'.repeat(3000) });
    await settled(1);
    const list = await api(
      'GET',
      `/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name=shared-${namespace}`,
    );
    const [event] = list['items'] as WrittenEvent[];
    expect(Buffer.byteLength(event?.note ?? '')).toBeLessThanOrEqual(1024);
  });

  it('begins again when the API server has dropped the event of a series', async () => {
    const { recorder, about, events, settled, api, namespace } = await world();
    recorder.record(about, bound);
    await settled(1);
    const [event] = await events();
    await api('DELETE', `/apis/events.k8s.io/v1/namespaces/${namespace}/events/${event?.metadata.name}`);
    recorder.record(about, bound);
    await settled(3);
    expect(await events()).toMatchObject([{ series: { count: 2 } }]);
  });

  it('drops an event that cannot be written, and continues', async () => {
    const { recorder, about, events, settled } = await world();
    const nowhere = { ...about, metadata: { ...about.metadata, namespace: 'not-there', uid: 'nowhere' } };
    recorder.record(nowhere, bound);
    recorder.record(about, bound);
    await settled(2);
    expect(await events()).toHaveLength(1);
  });

  it('sends the waiting events when it is flushed, and none after', async () => {
    const { recorder, about, events, settled } = await world();
    recorder.record(about, bound);
    await settled(1);
    recorder.record(about, bound);
    await settled(2);
    recorder.record(about, bound);
    await recorder.flush();
    expect(await events()).toMatchObject([{ series: { count: 3 } }]);
    recorder.record(about, { ...bound, message: 'too late' });
    await settled(3);
  });
});
