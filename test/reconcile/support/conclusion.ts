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

/** Mutation runs, which judge the tests and not the code, observe for a shorter time. */
const RESYNCS = Number(process.env['RESYNCS'] ?? 20);

/** Longer than a poll interval with its jitter. */
const BETWEEN_RESYNCS_S = 75;

/** How long `conclude` observes a world at rest. */
export const SILENCE_S = RESYNCS * BETWEEN_RESYNCS_S;

/** Checks the rules that hold at the end of every scenario. */
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

/** Checks all events against the state of the service, by an oracle that never asks the operator. */
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

/** Identifies one life of a resource. A resource that is deleted and applied again begins another life. */
function uidOf({ uid, name }: ObjectMeta): string {
  return uid ?? name;
}

/** Runs twenty more resyncs and polls. Expects no write to the service and no status write. */
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

/** Expects no secret value, in any encoding, in any output. */
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
