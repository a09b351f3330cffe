import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../src/api/deployment.ts';
import { type Fault } from '../../src/simulator/faults/scenario.ts';
import type { SemanticsPatch } from '../../src/simulator/switches/semantics.ts';
import { SWITCHES } from '../../src/simulator/switches/switches.ts';
import { conclude, expectOracleContent } from '../reconcile/support/conclusion.ts';
import { CRASH_POINTS, killAt } from '../reconcile/support/crash.ts';
import { AGENT, World } from '../reconcile/support/world.ts';

/** Runs of each property; the seed is fixed, so that a red run is red again. */
const RUNS = { numRuns: 40, seed: 20261120 };

/** Corrections of one field are limited to three a day, so a story has at most as many edits by another hand. */
const EDITS_AT_SERVICE = 3;

/** The consistency window, and the first steady read after it. */
const SETTLED_S = 200;

/** How far some lists are behind, and how old a look may be on which a whole block is written. */
const LAG_S = 15;
const LOOK_S = 5;

/** What one user declares; an absent part is not managed. */
interface Wanted {
  readonly url?: string | undefined;
  readonly cpu?: number | undefined;
  readonly image?: string | undefined;
  readonly secret: boolean;
}

type Step =
  | { readonly kind: 'apply'; readonly wanted: Wanted }
  | { readonly kind: 'rotate'; readonly token: string }
  | { readonly kind: 'edit at service'; readonly path: string; readonly value: string | number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'kill'; readonly point: (typeof CRASH_POINTS)[number] }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'wait'; readonly seconds: number };

const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const wanted: fc.Arbitrary<Wanted> = fc.record({
  url: one(undefined, 'https://a.example.com', 'https://b.example.com'),
  cpu: one(undefined, 1, 2),
  image: one(undefined, 'registry.example.com/agent:2', 'registry.example.com/agent:3'),
  secret: fc.boolean(),
});

const apply = wanted.map((spec): Step => ({ kind: 'apply', wanted: spec }));
const rotate = one('token-value-number-1', 'token-value-number-2', 'token-value-number-3').map(
  (token): Step => ({ kind: 'rotate', token }),
);
const editAtService = one<readonly [string, string | number]>(
  ['source_config.custom_url', 'https://theirs.example.com'],
  ['source_config.resource_spec.cpu', 8],
  ['source_config.resource_spec.memory_mb', 4096],
  ['source_config.build_command', 'make theirs'],
  ['source_revision_config.image_uri', 'registry.example.com/agent:theirs'],
  ['source_revision_config.graph_config_path', 'theirs.json'],
).map(([path, value]): Step => ({ kind: 'edit at service', path, value }));
const wait = one(0.01, 0.05, 1, 12, 40, 70, 130).map((seconds): Step => ({ kind: 'wait', seconds }));
const restart = fc.constant<Step>({ kind: 'restart' });
const kill = one(...CRASH_POINTS).map((point): Step => ({ kind: 'kill', point }));
const fault = one<Fault>(
  { kind: 'apply-then-fail', how: 'reset' },
  { kind: 'apply-then-fail', how: 'hang' },
  { kind: 'reset-before' },
  { kind: 'truncate' },
  { kind: 'status', status: 504 },
  { kind: 'status', status: 409 },
  { kind: 'status', status: 429, headers: { 'Retry-After': '7' } },
  { kind: 'fail-then-apply-late', how: 500, afterMs: 15_000 },
).map((broken): Step => ({ kind: 'fault', fault: broken }));

const semantics: fc.Arbitrary<SemanticsPatch> = fc.record({
  secretsEcho: one(...SWITCHES.secretsEcho.values),
  unset: one('absent', 'null'),
  patchEcho: one('post', 'partial'),
  listLag: one({ seconds: 0 }, { seconds: LAG_S }),
  listOrder: one('created', 'newest-first', 'shuffled'),
  rollout: one({ kind: 'after', seconds: 0 }, { kind: 'after', seconds: 25 }),
});

function specOf({ url, cpu, image, secret }: Wanted): Partial<DeploymentSpec> {
  const sourceConfig = {
    ...(url === undefined ? {} : { customURL: url }),
    ...(cpu === undefined ? {} : { resourceSpec: { cpu } }),
  };
  return {
    secretsOwnership: 'Exclusive',
    rollout: { maxRevisionsPerHour: 100 },
    ...(Object.keys(sourceConfig).length === 0 ? {} : { sourceConfig }),
    ...(image === undefined ? {} : { sourceRevisionConfig: { imageURI: image } }),
    ...(secret
      ? {
          secrets: [
            { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
          ],
        }
      : {}),
  };
}

/** Plays the steps and knows, in the plainest way, what must be so in the end. */
class Play {
  readonly world: World;
  #wanted: Wanted = { secret: false };
  #token = 'token-value-number-0';
  #edits = 0;
  readonly #theirs = new Map<string, string | number>();

  constructor(switches: SemanticsPatch) {
    this.world = new World({
      deployments: [
        {
          name: AGENT,
          sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 }, build_command: 'make' },
          revisionConfig: { image_uri: 'registry.example.com/agent:1', graph_config_path: 'graph.json' },
        },
        { name: 'neighbour', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
      ],
      semantics: switches,
    });
    this.world.putSecret('agent-secrets', { token: this.#token });
    this.world.apply(specOf(this.#wanted));
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case 'apply':
        this.#wanted = step.wanted;
        return this.world.apply(specOf(step.wanted));
      case 'rotate':
        this.#token = step.token;
        return this.world.putSecret('agent-secrets', { token: step.token });
      case 'edit at service':
        if (this.#edits === EDITS_AT_SERVICE) return undefined;
        // So soon after a write of ours a change that makes no revision passes for the service's own rounding.
        await this.world.pass(SETTLED_S);
        this.#edits += 1;
        this.#theirs.set(step.path, step.value);
        this.world.editAtService(step.path, step.value);
        // What a list does not show yet cannot be kept by who writes whole blocks.
        return this.world.pass(LAG_S + LOOK_S + 1);
      case 'restart':
        return this.world.restart();
      case 'kill':
        killAt(this.world, step.point);
        return undefined;
      case 'fault':
        return this.world.fault(step.fault);
      case 'wait':
        await this.world.pass(step.seconds);
    }
  }

  /** Whoever died is started again; then there is time enough for everything. */
  async end(): Promise<void> {
    this.world.disarm();
    this.world.service.faults.clear();
    this.world.restart();
    await this.world.pass(1200);
  }

  expectConverged(): void {
    const { world } = this;
    const { url, cpu, image, secret } = this.#wanted;
    expect(world.state()).toBe('True/InSync True/Active');
    const { sourceConfig, revisionConfig, secrets } = world.kept().content;
    const spec = sourceConfig['resource_spec'] as Readonly<Record<string, unknown>>;
    if (url !== undefined) expect(sourceConfig['custom_url']).toBe(url);
    if (cpu !== undefined) expect(spec['cpu']).toBe(cpu);
    if (image !== undefined) expect(revisionConfig['image_uri']).toBe(image);
    if (secret) expect(secrets).toEqual([{ name: 'API_TOKEN', value: this.#token }]);
    expect(spec['memory_mb'], 'what nobody declared').toBe(
      this.#theirs.get('source_config.resource_spec.memory_mb') ?? 512,
    );
    expect(sourceConfig['build_command']).toBe(this.#theirs.get('source_config.build_command') ?? 'make');
    expect(revisionConfig['graph_config_path']).toBe(
      this.#theirs.get('source_revision_config.graph_config_path') ?? 'graph.json',
    );
  }
}

async function plays(steps: readonly Step[], switches: SemanticsPatch): Promise<void> {
  const play = new Play(switches);
  try {
    for (const step of steps) await play.step(step);
    await play.end();
    play.expectConverged();
    await conclude(play.world);
    play.expectConverged();
    expectOracleContent(play.world);
  } finally {
    play.world.kill();
  }
}

describe('whatever happens', () => {
  test('of edits here and there, rotations and restarts, the service ends as declared and is then left alone', async () => {
    const story = fc.array(fc.oneof(apply, rotate, editAtService, restart, wait, wait), { maxLength: 14 });
    await fc.assert(fc.asyncProperty(story, semantics, plays), RUNS);
  }, 60_000);

  test('with crashes and broken exchanges in between, the same holds', async () => {
    const story = fc.array(fc.oneof(apply, rotate, editAtService, restart, kill, fault, wait, wait, wait), {
      maxLength: 16,
    });
    await fc.assert(fc.asyncProperty(story, semantics, plays), RUNS);
  }, 60_000);
});
