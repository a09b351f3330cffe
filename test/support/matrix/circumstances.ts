import fc from 'fast-check';
import type { ConnectionSpec } from '../../../src/api/connection.ts';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { SemanticsPatch } from '../../../src/simulator/semantics.ts';
import { NO_RATE_LIMIT } from '../in-process-exchange.ts';

/** Settings of users and slowness of others, beside the switches that answer the open questions. */
export const CIRCUMSTANCES = {
  /** `patch.bodies` of the connection. */
  bodies: ['Auto', 'Auto', 'Auto', 'Full'],
  driftPolicy: ['Correct', 'Correct', 'Correct', 'Report'],
  rate: ['unlimited', 'unlimited', 'low'],
  /** How long an announcement takes to land. */
  store: ['quick', 'quick', 'quick', 'slow', 'conflicting'],
  rollout: ['20 seconds', '20 seconds', '15 minutes', 'never'],
  /** What the service takes and forgets. */
  ignored: ['nothing', 'nothing', 'nothing', 'url', 'command'],
  revisionFor: ['and-secrets', 'and-secrets', 'revision-config'],
} as const;

/** One value for each. */
export type Circumstances = { readonly [K in keyof typeof CIRCUMSTANCES]: (typeof CIRCUMSTANCES)[K][number] };

/** The pleasant ones, for stories whose subject are the switches. */
export const PLAIN: Circumstances = {
  bodies: 'Auto',
  driftPolicy: 'Correct',
  rate: 'unlimited',
  store: 'quick',
  rollout: '20 seconds',
  ignored: 'nothing',
  revisionFor: 'and-secrets',
};

/** Any of them, each mostly as it is in ordinary life. */
export const anyCircumstances: fc.Arbitrary<Circumstances> = fc.record(
  Object.fromEntries(
    Object.entries(CIRCUMSTANCES).map(([name, values]) => [name, fc.constantFrom(...values)]),
  ) as unknown as { [K in keyof Circumstances]: fc.Arbitrary<Circumstances[K]> },
);

const ROLLOUTS: Readonly<Record<Circumstances['rollout'], NonNullable<SemanticsPatch['rollout']>>> = {
  '20 seconds': { kind: 'after', seconds: 20 },
  '15 minutes': { kind: 'after', seconds: 900 },
  never: { kind: 'never-active' },
};

const IGNORED: Readonly<Record<Circumstances['ignored'], NonNullable<SemanticsPatch['fieldRules']>>> = {
  nothing: {},
  url: { 'source_config.custom_url': 'ignored' },
  command: { 'source_config.build_command': 'ignored' },
};

/** What circumstances ask of the service. */
export function serviceUnder({ rollout, ignored, revisionFor }: Circumstances): SemanticsPatch {
  return { rollout: ROLLOUTS[rollout], fieldRules: IGNORED[ignored], revisionFor };
}

/** What circumstances ask of the connection. */
export function connectionUnder({ bodies, rate }: Circumstances): Partial<ConnectionSpec> {
  const low = { requestsPerSecond: 0.5, burst: 1, concurrency: 4 };
  return { patch: { bodies }, rateLimit: rate === 'low' ? low : NO_RATE_LIMIT };
}

/** What circumstances ask of the resource. */
export function specUnder({ driftPolicy }: Circumstances): Pick<DeploymentSpec, 'driftPolicy'> {
  return { driftPolicy };
}

/** Seconds that an announcement takes where the store is slow. */
export const SLOW_S = [1, 8, 45] as const;
