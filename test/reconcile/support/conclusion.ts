import { expect } from 'vitest';
import type { ObjectMeta } from '../../../src/api/metadata.ts';
import {
  expectReadyDeserved,
  expectSoundConditions,
  expectTimesByStatus,
} from '../../support/resources/condition-lint.ts';
import { judgedByOracle } from '../../support/oracle/oracle.ts';
import { spellingsOf, textOf } from '../../support/leaks/told.ts';
import { expectBudgetKept, expectOnlyBoundWrites, expectOthersUntouched } from './invariants.ts';
import type { World } from './world.ts';

/** Runs that judge the tests, not the code, look for a shorter while. */
const RESYNCS = Number(process.env['RESYNCS'] ?? 20);

/** Longer than a poll interval with its jitter. */
const BETWEEN_RESYNCS_S = 75;

/** What holds at the end of every story, whatever it was about. */
export async function conclude(world: World): Promise<void> {
  expectSoundStatuses(world);
  await expectQuiet(world);
  expectSoundStatuses(world);
  expectGoodManners(world);
  expectSecretsKept(world);
  expectBudgetKept(world);
  expectOnlyBoundWrites(world);
  expectOthersUntouched(world);
  expectNoBugs(world);
}

/** Everything that happened, held against the service's own state by an oracle that never asks the operator. */
export function expectOracleContent({ chronicle }: World): void {
  expect(judgedByOracle(chronicle).wrongs, 'what the oracle objects to').toEqual([]);
}

function expectSoundStatuses(world: World): void {
  for (const resource of world.store.list()) expectSoundConditions(resource);
  const highest = new Map<string, number>();
  for (const { metadata, after } of world.statusWrites) {
    const life = uidOf(metadata);
    const generation = after.observedGeneration ?? -1;
    expect(generation, 'observedGeneration never goes back').toBeGreaterThanOrEqual(highest.get(life) ?? -1);
    highest.set(life, generation);
  }
  for (const { before, after, atMs } of world.statusWrites) {
    const times = (before?.conditions ?? [])
      .map(({ lastTransitionTime }) => Date.parse(lastTransitionTime))
      // A clock that was set back leaves times in the future.
      .filter((ms) => ms <= atMs);
    const pass = { fromMs: Math.max(0, ...times), toMs: atMs };
    expectTimesByStatus(before?.conditions, after.conditions, pass);
  }
  for (const life of highest.keys()) {
    const its = world.statusWrites.filter(({ metadata }) => uidOf(metadata) === life);
    expectReadyDeserved(its.map(({ after }) => after));
  }
}

/** One life of a resource: removed and applied again, it begins another. */
function uidOf({ uid, name }: ObjectMeta): string {
  return uid ?? name;
}

/** Twenty more resyncs and polls: nothing is written, neither to the service nor to a status. */
async function expectQuiet(world: World): Promise<void> {
  const { log } = world.service;
  const writes = (): readonly number[] => [log.count('patch'), log.count('create'), log.count('delete')];
  const before = { writes: writes(), statuses: world.statusWrites.length };
  for (let n = 0; n < RESYNCS; n += 1) {
    world.resync();
    await world.pass(BETWEEN_RESYNCS_S);
  }
  expect(world.statusStory(before.statuses), 'no status write at rest').toEqual([]);
  expect(writes(), 'no write to the service at rest').toEqual(before.writes);
}

function expectGoodManners({ service }: World): void {
  expect(service.log.violations, 'rules of the interface that were broken').toEqual([]);
  expect(service.log.maxInFlight(), 'writes to one deployment at once').toBeLessThanOrEqual(1);
}

/** No secret value, in any spelling, in anything that was ever told. */
function expectSecretsKept(world: World): void {
  const told = [
    ...world.statusWrites.map(({ after }) => JSON.stringify(after)),
    ...world.connections.list().map(({ status }) => JSON.stringify(status ?? {})),
    ...world.events.all.map((event) => JSON.stringify(event)),
    ...world.logger.lines.map((line) => textOf(line)),
    ...world.metrics.counts.keys(),
  ].join('\n');
  for (const secret of world.secretTexts) {
    for (const spelling of spellingsOf(secret)) {
      expect(told.includes(spelling), `the secret ${secret} was told as ${spelling}`).toBe(false);
    }
  }
}

function expectNoBugs({ logger }: World): void {
  const bugs = logger.lines.filter(({ level }) => level === 'error');
  expect(bugs, 'errors in the log').toEqual([]);
}
