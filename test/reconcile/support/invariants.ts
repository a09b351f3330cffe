import { expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { isWireObject } from '../../../src/simulator/values/wire-values.ts';
import type { DeploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import type { ServiceSemantics } from '../../../src/simulator/switches/semantics.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';
import { beyondBudget } from '../../support/resources/revision-making.ts';
import { nameOf } from './names.ts';
import type { World } from './world.ts';

/**
 * I6: in any hour, writes that may make a revision stay within the budget, plus one for each edit. Refused writes make
 * none.
 */
export function expectBudgetKept(world: World): void {
  for (const { metadata, spec, status } of world.store.list()) {
    const perHour = spec.rollout?.maxRevisionsPerHour ?? BUDGET;
    const mine = world.patches().filter(({ id }) => id === status?.deploymentID);
    const requests = mine.filter((request) => request.status === undefined || request.status < 300);
    const editsMs = world.applied.filter(({ name }) => name === nameOf(metadata)).map(({ atMs }) => atMs);
    expect(beyondBudget(requests, { perHour, editsMs }), 'writes beyond the budget').toBe(0);
  }
}

/** The default of `spec.rollout.maxRevisionsPerHour`. */
const BUDGET = 6;

/** Checks I7: every deployment that was written to had been bound by a resource. */
export function expectOnlyBoundWrites(world: World): void {
  const bound = new Set(world.statusWrites.map(({ after }) => after.deploymentID));
  const writes = [...world.patches(), ...world.service.log.requests('delete')];
  const strange = writes.filter(({ id }) => !bound.has(id));
  expect(strange, 'writes to deployments that no resource is bound to').toEqual([]);
}

/**
 * I4: a field that no resource declared and no other client changed is unchanged. Services that empty, merge or rewrite
 * requests are exempt: their scenarios define the permitted changes, and the matrix checks all of them.
 */
export function expectOthersUntouched(world: World): void {
  const touched = world.acts.map((action) => JSON.stringify(action));
  for (const seed of world.seeds) {
    const now = world.service.deployment(seed.name);
    if (now === undefined || !isPlain(world.service.semantics(now.id))) continue;
    if (touched.some((action) => action.includes(seed.name) || action.includes(now.id))) continue;
    const declared = declaredIn(world);
    expect(unmanaged(now.content, declared), `what nobody manages of ${seed.name}`).toEqual(
      unmanaged(seed, declared),
    );
  }
}

function isPlain({ topLevelOmit, nested, lists, normalise }: ServiceSemantics): boolean {
  const modes = [nested.sourceConfig, nested.revisionConfig, nested.resourceSpec];
  return (
    topLevelOmit === 'unchanged' &&
    !modes.includes('replace') &&
    lists === 'replace' &&
    normalise.length === 0
  );
}

interface Declared {
  readonly fields: ReadonlySet<string>;
  /** True if a resource declares that its list of secrets is complete. */
  readonly allSecrets: boolean;
  readonly secrets: ReadonlySet<string>;
}

function declaredIn({ applied }: World): Declared {
  const specs = applied.map(({ spec }) => spec);
  const fields = specs.flatMap((spec) => [...fieldsOf(spec), ...(spec.clear ?? [])]);
  return {
    fields: new Set(fields.map((path) => plain(path.split('.').at(-1) ?? ''))),
    allSecrets: specs.some(
      ({ secretsOwnership, secretsFrom }) => secretsOwnership === 'Exclusive' || secretsFrom !== undefined,
    ),
    secrets: new Set(specs.flatMap(({ secrets = [] }) => secrets.map(({ name }) => name))),
  };
}

function fieldsOf({
  sourceConfig = {},
  sourceRevisionConfig = {},
}: Partial<DeploymentSpec>): readonly string[] {
  const { resourceSpec = {}, ...config } = sourceConfig;
  return [config, resourceSpec, sourceRevisionConfig].flatMap((block) => Object.keys(block));
}

/** Returns one common spelling for the names of both sides. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function unmanaged(
  {
    sourceConfig,
    revisionConfig,
    secrets,
  }: Pick<DeploymentSeed, 'sourceConfig' | 'revisionConfig' | 'secrets'>,
  declared: Declared,
): unknown {
  const others = (block: WireObject): WireObject =>
    Object.fromEntries(Object.entries(block).filter(([key]) => !declared.fields.has(plain(key))));
  const { resource_spec: spec = null, ...config } = sourceConfig;
  return {
    config: others(config),
    spec: isWireObject(spec) ? others(spec) : {},
    revision: others(revisionConfig),
    secrets: declared.allSecrets ? [] : secrets.filter(({ name }) => !declared.secrets.has(name)),
  };
}
