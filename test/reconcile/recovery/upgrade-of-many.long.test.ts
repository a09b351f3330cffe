import { expect, test } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { isUnbound, type KeyedHashes } from '../../../src/model/recorded/digests.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { keyOf, World } from '../support/world.ts';

/** Two hundred resources, divided among services that show secrets in different ways. */
const EACH = 50;
const SERVICES: readonly (readonly [
  what: string,
  semantics: SemanticsPatch,
  ownership: NonNullable<DeploymentSpec['secretsOwnership']>,
])[] = [
  ['shows secrets as they are', { secretsEcho: 'plain' }, 'Guarded'],
  ['masks secrets', { secretsEcho: 'stars' }, 'Guarded'],
  ['shows only names', { secretsEcho: 'names-only' }, 'Merge'],
  // If no list of the service has ever shown secrets, the operator sends none.
  ['shows no secrets', { secretsEcho: 'omitted' }, 'Exclusive'],
];

const nameOf = (n: number): string => `agent-${n}`;

/** Hashes without the second step, which binds digests to a resource. */
function unbinding(hashes: KeyedHashes): KeyedHashes {
  return { ...hashes, digest: (text) => partIn(text) ?? hashes.digest(text) };
}

function partIn(text: string): string | undefined {
  if (!text.startsWith('["')) return undefined;
  const parts = JSON.parse(text) as readonly unknown[];
  const part = parts.length === 6 ? parts[5] : undefined;
  return typeof part === 'string' && isUnbound(part) ? part : undefined;
}

/** Returns a status as release 0.1.0 wrote it. The frozen statuses prove the form of its digests. */
function asOfFirstRelease(status: DeploymentStatus): DeploymentStatus {
  const text = JSON.stringify(status)
    .replaceAll('"2:', '"')
    .replaceAll(/"v2:(\w+):[^"]*"/g, '"v1:$1"');
  return JSON.parse(text) as DeploymentStatus;
}

function specOf(n: number): Partial<DeploymentSpec> {
  return {
    sourceConfig: {
      buildCommand: `make ${n}`,
      resourceSpec: {
        cpu: 2,
        sidecars: [
          { name: 'proxy', image: 'proxy:1', env: [{ name: 'PASSWORD', value: `env-secret-${n}` }] },
        ],
      },
    },
    sourceRevisionConfig: { imageURI: `registry.example.com/agent:${n}` },
    secrets: [
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'shared', key: 'token' } } },
      { name: 'PLAIN', value: `plain-secret-${n}` },
      ...(n % 5 === 0
        ? Array.from({ length: 40 }, (_, i) => ({ name: 'N'.repeat(220) + i, value: `long-${i}-${n}` }))
        : []),
    ],
  };
}

test.each(SERVICES)(
  'an upgrade from 0.1.0 sends nothing and rewrites each status once, if the service %s',
  { timeout: 120_000 },
  async (_, semantics, secretsOwnership) => {
    const w = new World({
      deployments: [
        ...Array.from({ length: EACH }, (_unused, n) => ({ name: nameOf(n) })),
        { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] },
      ],
      semantics,
      started: false,
      connection: {
        headers: [{ name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'shared', key: 'credential' } } }],
      },
    });
    w.putSecret('shared', { token: 'the-shared-token', credential: 'the-credential' });
    w.hashesOf = unbinding;
    w.start();
    for (let n = 0; n < EACH; n += 1) w.apply({ ...specOf(n), secretsOwnership }, nameOf(n));
    await w.pass(600);
    w.kill();
    const old = new Map<string, DeploymentStatus>();
    for (let n = 0; n < EACH; n += 1) {
      expect(w.state(nameOf(n))).toBe('True/InSync True/Active');
      const status = asOfFirstRelease(w.status(nameOf(n)));
      expect(status.applied?.key).toBe('v1:first');
      old.set(nameOf(n), status);
      w.store.overwriteStatus(keyOf(nameOf(n)), status);
    }
    const [patches, writes] = [w.service.log.count('patch'), w.statusWrites.length];
    w.hashesOf = (hashes) => hashes;
    w.start();
    await w.pass(1_200);
    expect(w.service.log.count('patch')).toBe(patches);
    const rewritten = w.statusWrites.slice(writes).map(({ name }) => name);
    expect(rewritten.toSorted()).toEqual([...old.keys()].toSorted());
    for (const [name, before] of old) {
      const { applied, budget, warningsTold } = w.status(name);
      expect(w.status(name)).toEqual({ ...before, applied, budget, warningsTold });
      expect(isUnbound(warningsTold ?? '')).toBe(false);
      expect(applied?.fields.map(({ path }) => path)).toEqual(before.applied?.fields.map(({ path }) => path));
      expect(applied?.references).toBe(before.applied?.references);
      expect(applied?.time).toBe(before.applied?.time);
      for (const { a } of applied?.fields ?? []) expect(a).toMatch(/^(2:.*)?$/);
      for (const digest of Object.values(applied?.secrets ?? {})) expect(digest).toMatch(/^(2:.*)?$/);
    }
    w.restart();
    await w.pass(1_200);
    expect(w.service.log.count('patch')).toBe(patches);
    expect(w.statusWrites).toHaveLength(writes + EACH);
    w.apply({ ...specOf(7), secretsOwnership, sourceConfig: { buildCommand: 'make edited' } }, nameOf(7));
    await w.pass(120);
    expect(w.service.log.count('patch')).toBe(patches + 1);
    w.kill();
  },
);
