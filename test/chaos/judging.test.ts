import { describe, expect, it } from 'vitest';
import type { LoggedRequest } from '../../src/simulator/api/request-log.ts';
import type { Announcement } from '../support/chaos/judging/announcement-log.ts';
import { excuseFor, type Facts } from '../support/chaos/judging/excuses.ts';
import { duplicateCreates, repeats } from '../support/chaos/judging/repeats.ts';
import {
  type LeaseChange,
  overlappingWrites,
  takeOvers,
  writesWithoutLease,
} from '../support/chaos/judging/writers.ts';

const FOUND = {
  sourceConfig: { custom_url: 'https://a.example.com', resource_spec: { cpu: 1, max_scale: 7 } },
  revisionConfig: { image_uri: 'registry.example.com/agent-1:1.1' },
  secrets: [{ name: 'TOKEN', value: 'one' }],
  secretReferences: null,
} as const;

function aRequest(change: Partial<LoggedRequest>): LoggedRequest {
  const { beganMs = 0 } = change;
  return {
    number: 1,
    operation: 'patch',
    method: 'PATCH',
    path: '',
    query: '',
    id: 'a',
    body: {},
    userAgent: 'one',
    requestID: undefined,
    beganMs,
    dealtMs: beganMs,
    endedMs: beganMs + 10,
    status: 200,
    delivery: 'whole',
    faults: [],
    ...change,
  };
}

function aCreation(change: Partial<LoggedRequest>, image: string): LoggedRequest {
  const body = { source_revision_config: { image_uri: `registry.example.com/${image}` } };
  return aRequest({ operation: 'create', id: '', body, ...change });
}

describe('creations', () => {
  it('of one incarnation are duplicates, whatever was edited in between', () => {
    expect(duplicateCreates([aCreation({}, 'agent-1:1.1'), aCreation({}, 'agent-1:1.2')])).toEqual([
      'agent-1:1 was created 2 times',
    ]);
  });

  it('of two incarnations, or without effect, are not', () => {
    const unheard = aCreation({}, 'agent-1:1.1');
    const { dealtMs: _, ...never } = unheard;
    expect(duplicateCreates([never, unheard, aCreation({}, 'agent-1:2.2')])).toEqual([]);
  });
});

describe('what a PATCH repeats', () => {
  const parts = (body: LoggedRequest['body']): readonly string[] =>
    repeats([aRequest({ found: FOUND, body })]).map(({ part }) => part);

  it.each([
    [{ source_config: { custom_url: 'https://a.example.com' } }, ['custom_url']],
    [{ source_config: { custom_url: 'https://b.example.com' } }, []],
    [{ source_config: { resource_spec: { cpu: 1, max_scale: 7 } } }, ['resource_spec']],
    [{ source_config: { resource_spec: { cpu: 2, max_scale: 7 } } }, []],
    [{ source_revision_config: { image_uri: 'registry.example.com/agent-1:1.1' } }, ['revision config']],
    [{ secrets: [{ name: 'TOKEN', value: 'one' }] }, ['secrets']],
    [{ secrets: [{ name: 'TOKEN', value: 'two' }] }, []],
    [{ secrets: [] }, []],
  ])('%j: %j', (body, wanted) => {
    expect(parts(body)).toEqual(wanted);
  });

  const body = { secrets: [{ name: 'TOKEN', value: 'one' }] };
  const first = aRequest({ number: 1, beganMs: 1_000, body });
  const again = aRequest({ number: 2, beganMs: 60_000, body, found: FOUND });
  const [repeat] = repeats([first, again]);
  const ANNOUNCED: Announcement = { name: 'agent-1', operation: 'Patch', fromMs: 990 };
  const facts: Facts = {
    masked: true,
    requests: [first, again],
    announcements: [ANNOUNCED],
    takeOversMs: [1_200],
    acts: [{ act: 'edit', atMs: 2_000, name: 'agent-1' }],
    nameOf: () => 'agent-1',
  };

  it('is excused for secrets that never show, where the first sending cannot be proven', () => {
    expect(excuseFor(repeat!, facts)).toBeDefined();
    expect(excuseFor(repeat!, { ...facts, masked: false })).toBeUndefined();
    expect(excuseFor(repeat!, { ...facts, acts: [] })).toBeUndefined();
    const created = aRequest({ ...first, operation: 'create', id: '' });
    const announced: Announcement = { ...ANNOUNCED, operation: 'Create' };
    const unanswered = { ...facts, requests: [created, again], acts: [], announcements: [announced] };
    expect(excuseFor(repeat!, unanswered)).toBe('a creation without an answer');
    expect(excuseFor(repeat!, { ...unanswered, takeOversMs: [] })).toBeUndefined();
    expect(excuseFor(repeat!, { ...unanswered, announcements: [ANNOUNCED] })).toBeUndefined();
  });

  it.each<[string, Partial<Facts>, boolean]>([
    ['stood when another process took over, soon', {}, true],
    ['stood when another process took over, late', { takeOversMs: [10_000] }, true],
    [
      'stood until the other process had judged it',
      { announcements: [{ ...ANNOUNCED, goneMs: 30_000 }] },
      true,
    ],
    ['was gone by then', { announcements: [{ ...ANNOUNCED, goneMs: 1_100 }] }, false],
    ['came and went unseen', { announcements: [] }, false],
    ['is that of another resource', { announcements: [{ ...ANNOUNCED, name: 'agent-2' }] }, false],
    ['is that of a later sending', { announcements: [{ ...ANNOUNCED, fromMs: 1_001 }] }, false],
    [
      'has a later one',
      {
        announcements: [
          { ...ANNOUNCED, goneMs: 1_100 },
          { ...ANNOUNCED, fromMs: 1_150 },
        ],
      },
      false,
    ],
    ['stood, but nobody else took over', { takeOversMs: [] }, false],
    ['stood when another process took over before', { takeOversMs: [900] }, false],
    ['stood when another process took over afterwards', { takeOversMs: [60_001] }, false],
  ])('the announcement of the first sending %s: excused %j', (_, change, excused) => {
    expect(excuseFor(repeat!, { ...facts, ...change }) !== undefined).toBe(excused);
  });
});

describe('two writers', () => {
  const LEASE: LeaseChange = { atMs: 0, name: 'leader', holder: 'one', untilMs: 1_000 };

  it('are seen where their requests to one deployment overlap, late effects included', () => {
    const slow = aRequest({ number: 1, beganMs: 0, dealtMs: 500, endedMs: 500 });
    const during = aRequest({ number: 2, beganMs: 400 });
    expect(overlappingWrites([slow, during])).toHaveLength(1);
    expect(overlappingWrites([slow, { ...during, id: 'b' }])).toEqual([]);
    expect(overlappingWrites([slow, { ...during, beganMs: 500 }])).toEqual([]);
    const late = aRequest({ number: 1, beganMs: 0, dealtMs: 450, endedMs: 5 });
    expect(overlappingWrites([late, during])).toHaveLength(1);
  });

  it('follow each other when the Lease gets another holder, or without one when a process starts', () => {
    const renewed = { ...LEASE, atMs: 500 };
    const givenBack = { ...LEASE, atMs: 700, holder: '' };
    const taken = { ...LEASE, atMs: 900, holder: 'two' };
    expect(takeOvers([10, 20], [LEASE, renewed, givenBack, taken])).toEqual([0, 900]);
    expect(takeOvers([10, 20], [])).toEqual([10, 20]);
  });

  it('of which one no longer held the Lease are seen', () => {
    const leases = [LEASE, { ...LEASE, atMs: 1_500, holder: 'two', untilMs: 2_500 }];
    const by = (userAgent: string, beganMs: number) => aRequest({ userAgent, beganMs });
    expect(writesWithoutLease([by('one', 999), by('two', 1_500)], leases)).toEqual([]);
    expect(writesWithoutLease([by('one', 1_000)], leases)).toHaveLength(1);
    expect(writesWithoutLease([by('two', 999)], leases)).toHaveLength(1);
    expect(writesWithoutLease([aCreation({ userAgent: 'two' }, 'agent-1:1.1')], leases)).toHaveLength(1);
    expect(writesWithoutLease([by('one', 1_200)], [LEASE, { ...LEASE, untilMs: 1_400 }])).toEqual([]);
  });
});
