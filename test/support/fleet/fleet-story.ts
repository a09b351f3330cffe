import fc from 'fast-check';
import type { PlannedFault } from '../../../src/simulator/faults/scenario.ts';

/** The two teams: one with its own Connection, one with the ClusterConnection of the same name. */
export const TEAMS = { 'team-a': ['a1', 'a2', 'a3', 'a4', 'a5'], 'team-b': ['b1', 'b2', 'b3'] } as const;

/** One of the teams. */
export type Team = keyof typeof TEAMS;

/** Every deployment that exists at first. */
export const MEMBERS = [...TEAMS['team-a'], ...TEAMS['team-b']] as const;

/** One of the members. */
export type Member = (typeof MEMBERS)[number];

/** An act of a person in a fleet, or a fault. */
export type FleetAct =
  /** A user declares another value. */
  | { readonly kind: 'declare'; readonly who: Member; readonly value: number }
  | { readonly kind: 'declare-all'; readonly value: number }
  /** Somebody changes a value that no resource manages, or one that a resource manages. */
  | { readonly kind: 'edited-theirs'; readonly who: Member; readonly value: number }
  | { readonly kind: 'edited-all-theirs'; readonly value: number }
  | { readonly kind: 'edited'; readonly who: Member; readonly value: number }
  /** A user declares a deployment to be created, under one of two names that two resources may share. */
  | {
      readonly kind: 'create';
      readonly team: Team;
      readonly resource: 'one' | 'two';
      readonly name: 'new' | 'other';
    }
  /** A second resource names the deployment of a first one. */
  | { readonly kind: 'second'; readonly who: Member; readonly value: number }
  /** Somebody deletes deployments at the service. */
  | { readonly kind: 'deleted'; readonly who: Member }
  | { readonly kind: 'deleted-most'; readonly team: Team }
  /** A user deletes a resource. */
  | { readonly kind: 'remove'; readonly who: Member }
  /** For some seconds a credential belongs to a tenant with other deployments, or without any. */
  | { readonly kind: 'tenant'; readonly team: Team; readonly empty: boolean; readonly seconds: number }
  /** For some seconds the list shows half of the deployments. */
  | { readonly kind: 'halved'; readonly seconds: number }
  /** For some seconds an item of the list is unreadable. */
  | { readonly kind: 'unreadable'; readonly who: Member; readonly seconds: number }
  /** The connection of a team gets another address of the same service. */
  | { readonly kind: 'address'; readonly team: Team }
  | { readonly kind: 'pause'; readonly who: Member }
  | { readonly kind: 'restart' }
  | {
      readonly kind: 'fault';
      readonly of: 'patch' | 'list' | 'create';
      readonly fault: PlannedFault['fault'];
    };

/** An act, and the time after it in which nothing else happens. */
export interface FleetStep {
  readonly act: FleetAct;
  readonly thenS: number;
}

const FAULTS: readonly PlannedFault['fault'][] = [
  { kind: 'status', status: 429, headers: { 'retry-after': '30' } },
  { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
  { kind: 'status', status: 429, headers: { 'retry-after': '1200' } },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 500 },
  { kind: 'apply-then-fail', how: 'hang' },
  { kind: 'apply-then-fail', how: 504 },
  { kind: 'fail-then-apply-late', how: 504, afterMs: 20_000 },
  { kind: 'delay', ms: 12_000 },
];

const who = fc.constantFrom(...MEMBERS);
const team = fc.constantFrom<Team>('team-a', 'team-b');
const value = fc.nat(2);

const record = <K extends FleetAct['kind'], T extends object>(
  kind: K,
  parts: { readonly [P in keyof T]: fc.Arbitrary<T[P]> },
): fc.Arbitrary<{ readonly kind: K } & T> =>
  fc.record({ kind: fc.constant(kind), ...parts }) as unknown as fc.Arbitrary<{ readonly kind: K } & T>;

const act: fc.Arbitrary<FleetAct> = fc.oneof(
  { weight: 5, arbitrary: record('declare', { who, value }) },
  { weight: 3, arbitrary: record('declare-all', { value }) },
  { weight: 3, arbitrary: record('edited-theirs', { who, value }) },
  { weight: 2, arbitrary: record('edited-all-theirs', { value }) },
  { weight: 2, arbitrary: record('edited', { who, value }) },
  {
    weight: 4,
    arbitrary: record('create', {
      team,
      resource: fc.constantFrom<'one' | 'two'>('one', 'two'),
      name: fc.constantFrom<'new' | 'other'>('new', 'new', 'other'),
    }),
  },
  { weight: 2, arbitrary: record('second', { who, value }) },
  { weight: 2, arbitrary: record('deleted', { who }) },
  { weight: 2, arbitrary: record('deleted-most', { team }) },
  { weight: 2, arbitrary: record('remove', { who }) },
  {
    weight: 3,
    arbitrary: record('tenant', { team, empty: fc.boolean(), seconds: fc.constantFrom(2, 60, 600, 3600) }),
  },
  { weight: 1, arbitrary: record('halved', { seconds: fc.constantFrom(2, 90, 600) }) },
  { weight: 1, arbitrary: record('unreadable', { who, seconds: fc.constantFrom(2, 90, 600) }) },
  { weight: 2, arbitrary: record('address', { team }) },
  { weight: 1, arbitrary: record('pause', { who }) },
  { weight: 2, arbitrary: fc.constant<FleetAct>({ kind: 'restart' }) },
  {
    weight: 4,
    arbitrary: record('fault', {
      of: fc.constantFrom<'patch' | 'list' | 'create'>('patch', 'patch', 'list', 'list', 'create'),
      fault: fc.constantFrom(...FAULTS),
    }),
  },
);

/** Stories in any order, with waits that let a later act fall into the middle of an earlier one. */
export const anyFleetStory: fc.Arbitrary<readonly FleetStep[]> = fc.array(
  fc.record({ act, thenS: fc.constantFrom(0, 1, 5, 15, 60, 100, 300) }),
  { minLength: 2, maxLength: 12 },
);

/** The behaviour of the service of a fleet, and the settings of its connections. */
export interface FleetSetting {
  /** Scarce rates are never drawn at random, and only themes set them. */
  readonly rate: 'unlimited' | 'low' | 'scarce';
  readonly listLag: 'none' | '20 seconds';
  readonly duplicateNames: 'refused-409' | 'allowed';
  readonly secrets: 'plain' | 'stars';
  /** The time for which a list hides a new deployment. */
  readonly appearsSeconds: number;
  readonly deletion: 'available' | 'accepted-only';
}

/** Random settings of a fleet. */
export const anyFleetSetting: fc.Arbitrary<FleetSetting> = fc.record({
  rate: fc.constantFrom<FleetSetting['rate']>('unlimited', 'low'),
  listLag: fc.constantFrom<FleetSetting['listLag']>('none', 'none', '20 seconds'),
  duplicateNames: fc.constantFrom<FleetSetting['duplicateNames']>('refused-409', 'allowed'),
  secrets: fc.constantFrom<FleetSetting['secrets']>('plain', 'stars'),
  appearsSeconds: fc.constantFrom(0, 0, 8, 25),
  deletion: fc.constantFrom<FleetSetting['deletion']>('available', 'available', 'accepted-only'),
});
