import fc from 'fast-check';
import type { ConnectionSpec } from '../../../src/api/connection.ts';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { joinPatches, type SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { NO_RATE_LIMIT } from '../doubles/in-process-exchange.ts';

/** Settings of users and slowness of others, beside the switches that answer the open questions. */
export const CIRCUMSTANCES = {
  /** `patch.bodies` of the connection. */
  bodies: ['Auto', 'Auto', 'Auto', 'Full'],
  driftPolicy: ['Correct', 'Correct', 'Correct', 'Report'],
  rate: ['unlimited', 'unlimited', 'low'],
  /** How long an announcement takes to land. */
  store: ['quick', 'quick', 'quick', 'slow', 'conflicting'],
  rollout: ['20 seconds', '20 seconds', '15 minutes', 'never'],
  /** What the service takes and forgets, a command although the answer shows it as kept. */
  ignored: ['nothing', 'nothing', 'nothing', 'url', 'pretended command'],
  revisionFor: ['and-secrets', 'and-secrets', 'revision-config'],
  /** What a list leaves out although answers to writes show it, beside the shape that is switched. */
  hidden: [
    ...(['nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'] as const),
    ...(['no-commands', 'no-image-uri', 'no-resource-spec', 'resource-spec-null'] as const),
    ...(['empty-source-config', 'empty-secrets', 'no-revision-block'] as const),
  ],
  /** What answers to writes show, where it is not as switched. */
  answers: ['as switched', 'as switched', 'as switched', 'sent-keys', 'sent-only', 'some-blocks'],
  /** Some lists come from a replica that is behind. */
  replicas: ['equal', 'equal', 'equal', 'equal', 'behind'],
} as const;

/** One value for each of those that are drawn, and one that a theme alone brings. */
export type Circumstances = {
  readonly [K in keyof typeof CIRCUMSTANCES]: (typeof CIRCUMSTANCES)[K][number];
} & {
  /** How often a rollout is looked at; absent: as often as by default. */
  readonly rolloutPolls?: 'rare';
};

/** The pleasant ones, for stories whose subject are the switches. */
export const PLAIN: Circumstances = {
  bodies: 'Auto',
  driftPolicy: 'Correct',
  rate: 'unlimited',
  store: 'quick',
  rollout: '20 seconds',
  ignored: 'nothing',
  revisionFor: 'and-secrets',
  hidden: 'nothing',
  answers: 'as switched',
  replicas: 'equal',
};

/** Any of them, each mostly as it is in ordinary life. */
export const anyCircumstances: fc.Arbitrary<Circumstances> = fc.record(
  Object.fromEntries(
    Object.entries(CIRCUMSTANCES).map(([name, values]) => [name, fc.constantFrom(...values)]),
  ) as unknown as { [K in keyof typeof CIRCUMSTANCES]: fc.Arbitrary<Circumstances[K]> },
);

const ROLLOUTS: Readonly<Record<Circumstances['rollout'], NonNullable<SemanticsPatch['rollout']>>> = {
  '20 seconds': { kind: 'after', seconds: 20 },
  '15 minutes': { kind: 'after', seconds: 900 },
  never: { kind: 'never-active' },
};

const IGNORED: Readonly<Record<Circumstances['ignored'], NonNullable<SemanticsPatch['fieldRules']>>> = {
  nothing: {},
  url: { 'source_config.custom_url': 'ignored' },
  'pretended command': { 'source_config.build_command': 'pretended' },
};

/** A service that behaves as switched, under circumstances. */
export function serviceUnder(switched: SemanticsPatch, circumstances: Circumstances): SemanticsPatch {
  const { rollout, ignored, revisionFor, hidden, answers, replicas } = circumstances;
  const shapes = switched.listShape ?? [];
  return joinPatches(switched, {
    rollout: ROLLOUTS[rollout],
    fieldRules: IGNORED[ignored],
    revisionFor,
    listShape: hidden === 'nothing' ? shapes : [...shapes, hidden],
    ...(answers === 'as switched' ? {} : { patchEcho: answers }),
    ...(replicas === 'equal' ? {} : { stale: { every: 3, seconds: 90 } }),
  });
}

/** What circumstances ask of the connection. */
export function connectionUnder({ bodies, rate, rolloutPolls }: Circumstances): Partial<ConnectionSpec> {
  const low = { requestsPerSecond: 0.5, burst: 1, concurrency: 4 };
  return {
    patch: { bodies },
    rateLimit: rate === 'low' ? low : NO_RATE_LIMIT,
    ...(rolloutPolls === 'rare' ? { poll: { rolloutSeconds: 120 } } : {}),
  };
}

/** What circumstances ask of the resource. */
export function specUnder({ driftPolicy }: Circumstances): Pick<DeploymentSpec, 'driftPolicy'> {
  return { driftPolicy };
}

/** Seconds that an announcement takes where the store is slow. */
export const SLOW_S = [1, 8, 45] as const;
