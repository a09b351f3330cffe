import { describe, expect, it } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import { KubernetesEventRecorder } from '../../../src/kubernetes/stores/kubernetes-event-recorder.ts';
import type { ApiResponse, RequestOptions, Transport } from '../../../src/kubernetes/client/exchange.ts';
import type { Event } from '../../../src/model/outcome/event.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { aResource } from '../../support/resources/builders.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

const BOUND: Event = { type: 'Normal', reason: 'Bound', action: 'Bind', message: 'bound to agent' };

/** A recorder on the virtual clock, whose API server gives the answers of the test. */
class Desk {
  readonly clock = new VirtualClock();
  readonly logger = new MemoryLogger();
  readonly asked: string[] = [];
  answer: () => Promise<ApiResponse> = async () => ({ status: 201, headers: {}, json: {} });
  readonly recorder: KubernetesEventRecorder;

  constructor() {
    const transport: Pick<Transport, 'request'> = {
      request: (method, _path, { body }: RequestOptions = {}) => {
        const series = body?.['series'] as { readonly count: number } | undefined;
        this.asked.push(`${method} ${series?.count ?? 1}`);
        return this.answer();
      },
    };
    this.recorder = new KubernetesEventRecorder({
      ...{ transport: transport as Transport, clock: this.clock, logger: this.logger },
      instance: 'pod-1',
    });
  }

  about(uid: string, namespace = 'team-a'): DeploymentResource {
    const resource = aResource();
    return { ...resource, metadata: { ...resource.metadata, namespace, uid } };
  }
}

describe('events during an outage of the API server', () => {
  it('are lost but for so many, and told again when it is back', async () => {
    const desk = new Desk();
    desk.answer = async () => {
      await desk.clock.sleep(10_000);
      throw new ApiError('no answer', { kind: 'network' });
    };
    for (let n = 0; n < 20_000; n += 1) desk.recorder.record(desk.about(`uid-${n}`, `team-${n % 5}`), BOUND);
    await desk.clock.advance(4 * 3_600_000);
    expect(desk.asked).toHaveLength(1_000);
    expect(desk.clock.pendingTimers).toBe(0);
    desk.answer = async () => ({ status: 201, headers: {}, json: {} });
    desk.asked.length = 0;
    for (const uid of ['uid-1', 'uid-15000', 'new']) desk.recorder.record(desk.about(uid), BOUND);
    await desk.clock.settle();
    expect(desk.asked).toEqual(['POST 1', 'POST 1', 'POST 1']);
    expect(desk.logger.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('of a namespace that has thousands leave room for those of others', async () => {
    const desk = new Desk();
    for (let n = 0; n < 6_000; n += 1) desk.recorder.record(desk.about(`uid-${n}`), BOUND);
    desk.recorder.record(desk.about('neighbour', 'team-z'), BOUND);
    await desk.clock.settle();
    expect(desk.asked).toHaveLength(251);
  });

  it('delay a shutdown for five seconds at most, however often they are flushed', async () => {
    const desk = new Desk();
    desk.answer = () => new Promise(() => undefined);
    for (let n = 0; n < 10; n += 1) desk.recorder.record(desk.about(`uid-${n}`), BOUND);
    const startMs = desk.clock.now();
    await desk.clock.runUntil(desk.recorder.flush());
    await desk.clock.runUntil(desk.recorder.flush());
    expect(desk.clock.now() - startMs).toBe(5_000);
    expect(desk.clock.pendingTimers).toBe(0);
  });
});

describe('a series', () => {
  it('begins again after a quiet time, even before the old one was forgotten', async () => {
    const desk = new Desk();
    const record = (): void => desk.recorder.record(desk.about('uid'), BOUND);
    record();
    await desk.clock.advance(340_000);
    desk.recorder.record(desk.about('other'), BOUND);
    await desk.clock.advance(20_001);
    record();
    await desk.clock.settle();
    expect(desk.asked).toEqual(['POST 1', 'POST 1', 'POST 1']);
  });

  it('keeps its note below a kilobyte, in one line', async () => {
    const desk = new Desk();
    let note: unknown;
    const transport = {
      request: async (_method: string, _path: string, { body }: RequestOptions) => {
        note = body?.['note'];
        return { status: 201, headers: {}, json: {} };
      },
    };
    const recorder = new KubernetesEventRecorder({
      ...{ transport: transport as unknown as Transport, clock: desk.clock, logger: desk.logger },
      instance: 'pod-1',
    });
    recorder.record(desk.about('uid'), { ...BOUND, message: `a\n\u001b[31m${'ü'.repeat(2_000)}` });
    await desk.clock.settle();
    expect(Buffer.byteLength(note as string)).toBeLessThanOrEqual(1_024);
    expect(note).toMatch(/^a \[31mü+…$/);
  });
});
