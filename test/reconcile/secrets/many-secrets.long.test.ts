import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { STATUS_BYTES } from '../../../src/model/status/forgetting.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { resolveSecrets } from '../../../src/reconcile/deployment/resolve-secrets.ts';
import { aResource } from '../../support/resources/builders.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const NAMES = Array.from({ length: 256 }, (_, n) => `SECRET_${n}_`.padEnd(240, 'X'));

/** Returns a spec in which each name refers to a Secret of its own. */
function secretsOf(names: readonly string[]): Partial<DeploymentSpec> {
  return {
    secrets: names.map((name) => ({
      name,
      valueFrom: { secretKeyRef: { name: objectOf(name), key: 'key' } },
    })),
  };
}

function objectOf(name: string): string {
  return `agent-${NAMES.indexOf(name)}`;
}

/** Applies all of them, and waits until the operator is at rest. */
async function begin(w: World): Promise<void> {
  for (const name of NAMES) w.putSecret(objectOf(name), { key: `first-value-of-${name}` });
  w.apply(secretsOf(NAMES));
  await w.pass(90);
  expect(w.state()).toBe('True/InSync True/Active');
  expect(w.bodies()).toHaveLength(1);
}

function largestStatus(w: World): number {
  return Math.max(...w.statusWrites.map(({ after }) => Buffer.byteLength(JSON.stringify(after))));
}

const GIVEN = {
  deployments: [{ name: AGENT }, SEEN],
  semantics: { secretsEcho: 'names-only' },
} as const;

describe('256 secrets with names of 240 characters, each from a Secret of its own,', () => {
  scenario('are sent once, and not again by a restart or with a lost key (H54, H56)', GIVEN, async (w) => {
    await begin(w);
    w.restart();
    await w.pass(120);
    w.kill();
    w.loseDigestKey();
    w.start();
    await w.pass(120);
    expect(w.bodies()).toHaveLength(1);
    expect(largestStatus(w)).toBeLessThan(STATUS_BYTES / 2);
  });

  scenario('are sent once more when one of them rotates', GIVEN, async (w) => {
    await begin(w);
    w.putSecret(objectOf(NAMES[7]!), { key: 'second-value-of-the-seventh' });
    await w.pass(90);
    expect(w.bodies()).toHaveLength(2);
    expect(w.kept().content.secrets).toContainEqual({
      name: NAMES[7],
      value: 'second-value-of-the-seventh',
    });
  });

  scenario('can be removed by us: names that we applied are never guarded (H3)', GIVEN, async (w) => {
    await begin(w);
    w.apply(secretsOf(NAMES.slice(1)));
    await w.pass(90);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.kept().content.secrets).toHaveLength(255);
    expect(w.bodies()).toHaveLength(2);
  });
});

describe('secrets whose total size is too large', () => {
  const kibibyte = 'x'.repeat(1_024);
  const spec = (names: readonly string[]): Partial<DeploymentSpec> => ({
    secretsOwnership: 'Exclusive',
    secretsFrom: [{ secretRef: { name: 'small' } }],
    secrets: names.map((name) => ({ name, valueFrom: { secretKeyRef: { name: 'large', key: 'large' } } })),
  });

  scenario('are refused by name: one value may stand under many names', GIVEN, async (w) => {
    w.putSecret('large', { large: kibibyte.repeat(255), other: kibibyte.repeat(900) });
    w.putSecret('small', { A: kibibyte, B: kibibyte.repeat(3) });
    w.apply(spec(['W', 'X', 'Y', 'Z']));
    await w.pass(90);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.bodies()).toHaveLength(1);
    w.putSecret('small', { A: `${kibibyte}x`, B: kibibyte.repeat(3) });
    await w.pass(90);
    expect(w.condition('Synced')).toBe('False/InvalidSpec');
    expect(w.message()).toMatch(/^spec\.secrets and spec\.secretsFrom give more than 1,024 KiB of values/);
    expect(w.bodies(), 'nothing is sent').toHaveLength(1);
    w.apply(spec(['B', 'X', 'Y', 'Z']));
    await w.pass(90);
    expect(w.state(), 'a name of spec.secrets takes the place of a key').toBe('True/InSync True/Active');
  });
});

describe('the size of secrets', () => {
  const entry = (text: string): { bytes: Uint8Array; value: SecretValue; utf8: boolean } => ({
    bytes: Buffer.from(text),
    value: new SecretValue(text),
    utf8: true,
  });
  const resolved = (spec: Partial<DeploymentSpec>, text: string): ReturnType<typeof resolveSecrets> => {
    const data = new Map([['KEY', entry(text)]]);
    return resolveSecrets(aResource(spec), {
      read: async (name) => ({ name, uid: 'u', resourceVersion: '1', data }),
    });
  };

  it('is measured without a copy: a mebibyte would be copied in every pass', async () => {
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    onTestFinished(() => encode.mockRestore());
    const spec = { secretsFrom: [{ secretRef: { name: 'large' } }] };
    await expect(resolved(spec, 'x'.repeat(1_000_000))).resolves.toHaveProperty('kind', 'resolved');
    expect(encode).not.toHaveBeenCalled();
  });

  it.each(['large', 'small'])(
    'counts bytes, and a value that replaces another one counts alone (%s)',
    async (size) => {
      const text = 'ü'.repeat(400 * 1_024);
      const spec = {
        secretsFrom: ['first', 'second'].map((name) => ({ secretRef: { name } })),
        secrets: [{ name: 'OWN', value: 'ü'.repeat(size === 'large' ? 112 * 1_024 + 1 : 112 * 1_024) }],
      };
      const secrets = resolved(spec, text);
      if (size === 'small') await expect(secrets).resolves.toHaveProperty('kind', 'resolved');
      else await expect(secrets).rejects.toThrow('more than 1,024 KiB');
    },
  );
});

describe('too many secrets', () => {
  it('are not gathered any further: 32 entries that take 20,000 keys each would block the process', async () => {
    const taken: string[] = [];
    const entry = { bytes: new Uint8Array(), value: new SecretValue(''), utf8: true };
    class Counted extends Map<string, typeof entry> {
      override get(key: string): typeof entry | undefined {
        taken.push(key);
        return super.get(key);
      }
    }
    const data = new Counted(Array.from({ length: 20_000 }, (_, n) => [`KEY_${n}`, entry]));
    const prefixes = Array.from({ length: 32 }, (_, n) => `PREFIX_${n}_`);
    const resource = aResource({
      secretsFrom: prefixes.map((prefix) => ({ secretRef: { name: 'many' }, prefix })),
    });
    const reader = { read: async (name: never) => ({ name, uid: 'u', resourceVersion: '1', data }) };
    await expect(resolveSecrets(resource, reader)).rejects.toThrow(
      /^spec\.secrets and spec\.secretsFrom give more than 256 secrets/,
    );
    expect(taken.length).toBeLessThan(300);
  });
});
