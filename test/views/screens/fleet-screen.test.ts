import { describe, expect, test } from 'vitest';
import { SYNCED_REASONS } from '../../../src/api/condition.ts';
import { fleetScreen } from '../../../src/views/screens/fleet-screen.ts';
import { type KnownRows, pictureOf } from '../../../src/views/screens/picture.ts';
import { aConnection, awaitingApproval, inState } from '../../support/console/fleet-of-states.ts';

const FLEET = [
  inState('calm', 'InSync', { labels: { tier: 'gold', 'example.com/team': 'a:b' } }),
  inState('calm-too', 'InSync', { namespace: 'team-b', spec: { connectionRef: { name: 'prod' } } }),
  awaitingApproval('asks', '5c1e0b7a90d2f1c44e07'),
  inState('broken', 'InvalidSpec'),
  inState('sending', 'Sent'),
  inState('new', undefined),
  inState('at-rest', 'InSync', { annotations: { 'dms-operator.dev/paused': 'true' } }),
];
const screen = (filter = '', page = 1) => fleetScreen(pictureOf(FLEET, []).fleet, { filter, page });
const names = (filter: string) => screen(filter).rows.map(({ name }) => name);

describe('the fleet', () => {
  test('shows its state in one sentence, and the worst resources first', () => {
    expect(screen().sentence).toBe(
      '2 ready · 1 waits for a person · 1 stalled · 1 under way · 2 paused or not looked at',
    );
    expect(screen().rows.map(({ name }) => name)).toEqual([
      ...['broken', 'asks', 'sending', 'at-rest', 'new', 'calm', 'calm-too'],
    ]);
  });

  test('has one part of the bar for each reason, and the parts add up to the whole', () => {
    const { bar, total } = screen();
    expect(bar.map(({ reason, count, tone }) => `${reason} ${count} ${tone}`)).toEqual([
      'InvalidSpec 1 bad',
      'AwaitingApproval 1 waits',
      'Sent 1 busy',
      'Paused 1 quiet',
      'Pending 1 quiet',
      'Active 2 good',
    ]);
    expect(bar.reduce((sum, { count }) => sum + count, 0)).toBe(total);
  });

  test.each([
    ['', 7],
    ['calm', 2],
    ['CALM', 2],
    ['name:too', 1],
    ['reason:Active', 2],
    ['reason:Active,Sent', 3],
    ['reason:Act', 0],
    ['connection:prod', 1],
    ['connection:default', 6],
    ['namespace:team-b calm', 1],
    ['tier=gold', 1],
    ['tier=silver', 0],
    ['example.com/team=a:b', 1],
    ['toString=x', 0],
    ['name:', 7],
    ['  calm   namespace:team-a ', 1],
  ])('filters by %j', (filter, matched) => {
    expect(screen(filter)).toMatchObject({ matched, total: 7 });
    expect(screen(filter).filterError).toBeUndefined();
  });

  test.each([['state:x'], ['constructor:x'], ['a '.repeat(33)]])(
    'explains why it does not understand %j, and shows all',
    (filter) => {
      expect(screen(filter)).toMatchObject({ matched: 7, filterError: expect.any(String) });
    },
  );

  test('finds each part of the bar by its reason', () => {
    for (const { reason, count } of screen().bar) expect(names(`reason:${reason}`)).toHaveLength(count);
  });

  test('has a hundred rows a page, and shows the nearest page for a missing one', () => {
    const many = Array.from({ length: 250 }, (_, index) =>
      inState(`agent-${String(index).padStart(3, '0')}`, 'InSync'),
    );
    const { fleet } = pictureOf(many, []);
    const first = ({ page, pages, rows }: ReturnType<typeof screen>) => [
      page,
      pages,
      rows.length,
      rows[0]?.name,
    ];
    expect(first(fleetScreen(fleet, { filter: '', page: 1 }))).toEqual([1, 3, 100, 'agent-000']);
    expect(first(fleetScreen(fleet, { filter: '', page: 3 }))).toEqual([3, 3, 50, 'agent-200']);
    expect(first(fleetScreen(fleet, { filter: '', page: 99 }))).toEqual([3, 3, 50, 'agent-200']);
    expect(first(fleetScreen(fleet, { filter: '', page: -1 }))).toEqual([1, 3, 100, 'agent-000']);
    expect(first(fleetScreen([], { filter: '', page: 7 }))).toEqual([1, 1, 0, undefined]);
  });

  test('truncates a long message in rows', () => {
    const resource = inState('loud', 'InSync');
    const [ready] = resource.status?.conditions ?? [];
    const loud = { ...resource, status: { conditions: [{ ...ready!, message: 'x'.repeat(1_000_000) }] } };
    const [row] = fleetScreen(pictureOf([loud], []).fleet, { filter: '', page: 1 }).rows;
    expect(row?.message?.length).toBeLessThanOrEqual(1024);
  });

  test('has a tone for every reason', () => {
    const { fleet } = pictureOf(
      SYNCED_REASONS.map((reason) => inState(reason.toLowerCase(), reason)),
      [],
    );
    const tones = new Set(fleet.map(({ row }) => row.tone));
    expect([...tones].toSorted()).toEqual(['bad', 'busy', 'good', 'quiet', 'waits']);
    const named = (tone: string) => fleet.filter(({ row }) => row.tone === tone).map(({ row }) => row.name);
    expect({ good: named('good'), quiet: named('quiet'), waits: named('waits') }).toMatchInlineSnapshot(`
      {
        "good": [
          "insync",
          "differs",
          "driftreported",
        ],
        "quiet": [
          "paused",
        ],
        "waits": [
          "awaitingapproval",
        ],
      }
    `);
  });

  test('treats a stalled connection as stalled for its users', () => {
    const waiting = inState('waits', 'ConnectionNotReady');
    const toneBehind = (stalled: boolean) =>
      pictureOf([waiting], [aConnection('default', { reason: 'AuthFailed', stalled })]).fleet[0]?.row.tone;
    expect([toneBehind(false), toneBehind(true)]).toEqual(['busy', 'bad']);
  });

  test('renders only changed rows again', () => {
    const known: KnownRows = new WeakMap();
    const connection = aConnection('default');
    const [before] = pictureOf(FLEET, [connection], known).fleet;
    const [same] = pictureOf([...FLEET], [connection], known).fleet;
    const [other] = pictureOf(FLEET, [aConnection('default')], known).fleet;
    expect(same?.row).toBe(before?.row);
    expect(other?.row).not.toBe(before?.row);
  });
});
