import fc from 'fast-check';
import type { ConnectionSpec } from '../../../src/api/connection.ts';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { joinPatches, type SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { NO_RATE_LIMIT } from '../doubles/in-process-exchange.ts';

/** Settings of users and delays of others, beside the switches for the open questions. */
export const CIRCUMSTANCES = {
  /** `patch.bodies` of the connection. */
  bodies: ['Auto', 'Auto', 'Auto', 'Full'],
  driftPolicy: ['Correct', 'Correct', 'Correct', 'Report'],
  rate: ['unlimited', 'unlimited', 'low'],
  /** The time that an announcement takes. */
  store: ['quick', 'quick', 'quick', 'slow', 'conflicting'],
  rollout: ['20 seconds', '20 seconds', '15 minutes', 'never'],
  /** Values that the service accepts and drops. A command may be dropped although the answer shows it. */
  ignored: ['nothing', 'nothing', 'nothing', 'url', 'pretended command'],
  revisionFor: ['and-secrets', 'and-secrets', 'revision-config'],
  /** Fields that a list leaves out although answers to writes show them, in addition to the switched form. */
  hidden: [
    ...(['nothing', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'] as const),
    ...(['no-commands', 'no-image-uri', 'no-resource-spec', 'resource-spec-null'] as const),
    ...(['empty-source-config', 'empty-secrets', 'no-revision-block'] as const),
  ],
  /** The form of answers to writes, if it differs from the switches. */
  answers: ['as switched', 'as switched', 'as switched', 'sent-keys', 'sent-only', 'some-blocks'],
  /** Whether some lists come from a lagging replica. */
  replicas: ['equal', 'equal', 'equal', 'equal', 'behind'],
} as const;

/** One value for each random circumstance, and one that only a theme sets. */
export type Circumstances = {
  readonly [K in keyof typeof CIRCUMSTANCES]: (typeof CIRCUMSTANCES)[K][number];
} & {
  /** The interval at which the operator looks at a rollout; absent: the default. */
  readonly rolloutPolls?: 'rare';
};

/** The simplest circumstances, for stories about the switches. */
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

/** Random circumstances, each mostly as in ordinary use. */
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

/** Returns a service that behaves as switched, under circumstances. */
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

/** Returns the settings of the connection for some circumstances. */
export function connectionUnder({ bodies, rate, rolloutPolls }: Circumstances): Partial<ConnectionSpec> {
  const low = { requestsPerSecond: 0.5, burst: 1, concurrency: 4 };
  return {
    patch: { bodies },
    rateLimit: rate === 'low' ? low : NO_RATE_LIMIT,
    ...(rolloutPolls === 'rare' ? { poll: { rolloutSeconds: 120 } } : {}),
  };
}

/** Returns the settings of the resource for some circumstances. */
export function specUnder({ driftPolicy }: Circumstances): Pick<DeploymentSpec, 'driftPolicy'> {
  return { driftPolicy };
}

/** The seconds that an announcement takes if the store is slow. */
export const SLOW_S = [1, 8, 45] as const;
