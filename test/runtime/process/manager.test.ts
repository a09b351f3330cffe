import { describe, expect, it } from 'vitest';
import { Manager } from '../../../src/runtime/process/manager.ts';
import type { Part } from '../../../src/runtime/process/manager.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

/** Parts that record what happens to them. */
class Stage {
  readonly clock = new VirtualClock({ startMs: 0 });
  readonly logger = new MemoryLogger();
  readonly told: string[] = [];

  part(name: string, takes: { readonly startMs?: number; readonly stopMs?: number } = {}): Part {
    return {
      name,
      start: async (signal) => {
        signal.addEventListener('abort', () => this.told.push(`${name} aborted`));
        await this.clock.sleep(takes.startMs ?? 0, signal);
        this.told.push(`${name} started`);
      },
      stop: async () => {
        await this.clock.sleep(takes.stopMs ?? 0);
        this.told.push(`${name} stopped`);
      },
    };
  }

  manager(phases: Readonly<Record<string, readonly Part[]>>, drainMs?: number): Manager {
    return new Manager({
      phases: Object.entries(phases).map(([name, parts]) => ({ name, parts })),
      clock: this.clock,
      logger: this.logger,
      ...(drainMs === undefined ? {} : { drainMs }),
    });
  }
}

describe('manager', () => {
  it('starts phase by phase, is ready after the last, and stops in reverse order', async () => {
    const stage = new Stage();
    const manager = stage.manager({
      informers: [stage.part('slow informer', { startMs: 200 }), stage.part('informer', { startMs: 100 })],
      pollers: [stage.part('poller', { startMs: 50 })],
      controllers: [stage.part('controller')],
    });
    const stop = new AbortController();
    const states: string[] = [manager.ready().text];
    const running = manager.run(stop.signal);
    await stage.clock.advance(150);
    states.push(manager.ready().text);
    await stage.clock.advance(75);
    states.push(manager.ready().text);
    await stage.clock.advance(100);
    states.push(manager.ready().text);
    expect(manager.ready().ok).toBe(true);
    stop.abort();
    await stage.clock.runUntil(running);
    states.push(manager.ready().text);
    expect(states).toEqual(['not started', 'starting informers', 'starting pollers', 'ready', 'stopped']);
    expect(stage.told).toEqual([
      'informer started',
      'slow informer started',
      'poller started',
      'controller started',
      'controller aborted',
      'controller stopped',
      'poller aborted',
      'poller stopped',
      'slow informer aborted',
      'informer aborted',
      'slow informer stopped',
      'informer stopped',
    ]);
    expect(stage.clock.pendingTimers).toBe(0);
  });

  it('is ready while a part stands by, although later parts have not begun', async () => {
    const stage = new Stage();
    const standby = { ...stage.part('election', { startMs: 3_600_000 }), idle: () => 'standing by' };
    const manager = stage.manager({ election: [standby], controllers: [stage.part('controller')] });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await stage.clock.advance(1_000);
    expect(manager.ready()).toEqual({ ok: true, text: 'standing by' });
    stop.abort();
    await stage.clock.runUntil(running);
    expect(manager.ready()).toEqual({ ok: false, text: 'stopped' });
  });

  it('is not ready while it stops', async () => {
    const stage = new Stage();
    const manager = stage.manager({ controllers: [stage.part('controller', { stopMs: 1_000 })] });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await stage.clock.advance(0);
    expect(manager.ready().ok).toBe(true);
    stop.abort();
    await stage.clock.advance(500);
    expect(manager.ready()).toEqual({ ok: false, text: 'stopping' });
    await stage.clock.runUntil(running);
  });

  it('shares one deadline among all phases, and continues without a part that does not stop', async () => {
    const stage = new Stage();
    const left: number[] = [];
    const observer: Part = {
      name: 'informer',
      start: () => Promise.resolve(),
      stop: async (withinMs) => {
        left.push(withinMs);
      },
    };
    const manager = stage.manager({
      informers: [observer],
      controllers: [stage.part('stuck', { stopMs: 3_600_000 }), stage.part('controller', { stopMs: 1_000 })],
    });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await stage.clock.advance(0);
    stop.abort();
    await stage.clock.runUntil(running);
    expect(stage.clock.now()).toBe(35_000);
    expect(left).toEqual([0]);
    expect(stage.told).toContain('controller stopped');
    expect(stage.logger.lines.filter((line) => line.level === 'error').map((line) => line.fields)).toEqual([
      { part: 'stuck' },
    ]);
  });

  it('aborts its start when it is stopped, and stops the parts that have begun', async () => {
    const stage = new Stage();
    const manager = stage.manager({
      informers: [stage.part('never synced', { startMs: 3_600_000 })],
      controllers: [stage.part('controller')],
    });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await stage.clock.advance(1_000);
    stop.abort();
    await stage.clock.runUntil(running);
    expect(stage.told).toEqual(['never synced aborted', 'never synced stopped']);
    expect(stage.clock.now()).toBe(1_000);
  });

  it('does not start at all if it was stopped before', async () => {
    const stage = new Stage();
    const manager = stage.manager({ informers: [stage.part('informer')] });
    await stage.clock.runUntil(manager.run(AbortSignal.abort()));
    expect(stage.told).toEqual([]);
  });

  it('stops the parts that have begun and fails if a part cannot start', async () => {
    const stage = new Stage();
    const broken: Part = { name: 'broken', start: () => Promise.reject(new Error('port in use')) };
    const manager = stage.manager({
      informers: [stage.part('informer')],
      pollers: [broken, stage.part('never there', { startMs: 3_600_000 })],
      controllers: [stage.part('controller')],
    });
    const running = manager.run(new AbortController().signal);
    await expect(stage.clock.runUntil(running)).rejects.toThrow('port in use');
    expect(stage.told).toEqual([
      'informer started',
      'never there aborted',
      'never there stopped',
      'informer aborted',
      'informer stopped',
    ]);
    expect(manager.ready().ok).toBe(false);
  });

  it('keeps stopping if a part fails to stop', async () => {
    const stage = new Stage();
    const broken: Part = {
      name: 'broken',
      start: () => Promise.resolve(),
      stop: () => Promise.reject(new Error('no')),
    };
    const manager = stage.manager({ informers: [stage.part('informer')], controllers: [broken] });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    await stage.clock.advance(0);
    stop.abort();
    await stage.clock.runUntil(running);
    expect(stage.told).toEqual(['informer started', 'informer aborted', 'informer stopped']);
    expect(stage.logger.messages('error')).toEqual(['a part failed to stop']);
  });

  it('is healthy unless a part reports that only a restart helps', () => {
    const stage = new Stage();
    const complaints: string[] = [];
    const part: Part = { name: 'informer', start: () => Promise.resolve(), unhealthy: () => complaints[0] };
    const manager = stage.manager({ informers: [part], controllers: [stage.part('controller')] });
    expect(manager.healthy()).toEqual({ ok: true, text: 'ok' });
    complaints.push('no event for an hour');
    expect(manager.healthy()).toEqual({ ok: false, text: 'informer: no event for an hour' });
  });
});
