import { describe, expect, it } from 'vitest';
import type { ServiceAnswer } from '../../../src/service/http/exchange.ts';
import { pageBeside } from '../../../src/service/list/inventory.ts';
import type { Page } from '../../../src/service/list/pages.ts';
import { NO_PAGE_KNOWLEDGE } from '../../../src/service/list/pages.ts';
import { readSweep } from '../../../src/service/list/read-sweep.ts';
import { changesBetween, type Snapshot, type Wanted } from '../../../src/service/list/snapshot.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

/** A list of 25 deployments in pages of 10, as text. */
class TextList {
  readonly resources = Array.from({ length: 25 }, (_, n) => ({
    id: `ID-${n}`,
    name: `agent-${n}`,
    tenant_id: 'tenant',
    source_config: { build_command: `make ${n}` },
  }));
  wanted: Wanted = 'all';
  /** The pages of the newest sweep. */
  readonly pages: Page[] = [];
  readonly shown: string[] = [];
  #number = 0;

  async sweep(before: Snapshot | undefined): Promise<Snapshot> {
    this.pages.length = 0;
    this.#number += 1;
    const { snapshot } = await readSweep(
      { number: this.#number, beganMs: this.#number, complete: true },
      {
        clock: new VirtualClock(),
        pageSize: 10,
        before,
        knowledge: NO_PAGE_KNOWLEDGE,
        wanted: this.wanted,
        fetchPage: async (offset, limit, known) => {
          const page = pageBeside(known, this.#answer(offset, limit), 1e6);
          this.pages.push(page);
          return page;
        },
        onTaken: (taken) => (this.taken = taken),
        work: (task) => task(),
        onShown: ({ name }) => this.shown.push(name),
        onMoved: () => undefined,
        onFullFirstPage: () => undefined,
      },
    );
    return snapshot;
  }

  taken = { read: 0, kept: 0 };

  /** The numbers of the pages that were decoded. */
  get decoded(): readonly number[] {
    return this.pages.flatMap(({ repeats }, n) => (repeats === undefined ? [n] : []));
  }

  #answer(offset: number, limit: number): ServiceAnswer {
    const resources = this.resources.slice(offset, offset + limit);
    return {
      status: 200,
      headers: {},
      text: JSON.stringify({ resources, offset: offset + resources.length }),
    };
  }
}

describe('a page that equals the one before byte for byte', () => {
  it('is not decoded, and shows what that one did', async () => {
    const list = new TextList();
    const first = await list.sweep(undefined);
    expect(list.decoded).toEqual([0, 1, 2, 3]);
    const { taken } = list;
    list.shown.length = 0;
    const second = await list.sweep(first);
    expect(list.decoded, 'the empty page is not kept').toEqual([3]);
    expect(list.shown).toHaveLength(25);
    expect(list.taken).toEqual(taken);
    for (const [id, shown] of first.byID) expect(second.byID.get(id)).toBe(shown);
    expect(second.byName).toEqual(first.byName);
    expect(changesBetween(first, second)).toEqual({ ids: [], names: [] });
  });

  it('is decoded if one of its items changed, and the other pages are not', async () => {
    const list = new TextList();
    const first = await list.sweep(undefined);
    list.resources.splice(12, 1, {
      id: 'ID-12',
      name: 'agent-12',
      tenant_id: 'tenant',
      source_config: { build_command: 'make theirs' },
    });
    const second = await list.sweep(first);
    expect(list.decoded).toEqual([1, 3]);
    expect(changesBetween(first, second).ids).toEqual(['ID-12']);
    expect((await list.sweep(second)).byID.size).toBe(25);
    expect(list.decoded).toEqual([3]);
  });

  it('is decoded if a resource now looks for an item of which only the name was kept', async () => {
    const list = new TextList();
    list.wanted = { ids: new Set(['id-3']), names: new Set() };
    const first = await list.sweep(undefined);
    expect(first.byID.get('id-4')?.sourceConfig).toBeUndefined();
    list.wanted = { ids: new Set(['id-4']), names: new Set() };
    const second = await list.sweep(first);
    expect(list.decoded).toEqual([0, 3]);
    expect(second.byID.get('id-4')?.sourceConfig?.fields['buildCommand']).toBe('make 4');
    expect([...second.brief]).toContain('id-3');
  });

  it('is decoded if the pass shows one of its deployments on another page too', async () => {
    const list = new TextList();
    const first = await list.sweep(undefined);
    const [moved] = list.resources.slice(14, 15);
    if (moved !== undefined)
      list.resources.splice(0, 1, { ...moved, source_config: { build_command: 'older' } });
    const second = await list.sweep(first);
    expect(list.decoded).toEqual([0, 1, 3]);
    expect(second.twins.get('id-14')).toHaveLength(1);
  });

  it('is decoded if it has an unreadable item: its text is not kept', async () => {
    const list = new TextList();
    list.resources.splice(12, 1, { name: 'without an id' } as never);
    const first = await list.sweep(undefined);
    expect([...first.pages.keys()]).toEqual(['0+10', '20+10']);
    await list.sweep(first);
    expect(list.decoded).toEqual([1, 3]);
  });
});
