import { describe, expect, it } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { fieldDigest, secretDigest } from '../../../src/model/recorded/baseline.ts';
import { desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import { type Digests, digestsFor, isUnbound, type Purpose } from '../../../src/model/recorded/digests.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { aResource } from '../../support/resources/builders.ts';
import { seededRandom } from '../../support/chance.ts';

const HASHES = hmacDigester(new Uint8Array(32).fill(7));
const PURPOSES: Readonly<Record<Purpose, true>> = {
  field: true,
  names: true,
  refusal: true,
  'refused value': true,
  request: true,
  secret: true,
  warnings: true,
};

function resourceAt(namespace: string, name: string, uid: string, key?: string): DeploymentResource {
  const resource = aResource();
  const status =
    key === undefined ? {} : { applied: { key, generation: 1, time: '2026-11-20T00:00:00Z', fields: [] } };
  return { ...resource, metadata: { ...resource.metadata, namespace, name, uid }, status };
}

function digestsAt(namespace: string, name: string, uid: string, key?: string): Digests {
  return digestsFor(resourceAt(namespace, name, uid, key), HASHES);
}

const of = (digests: Digests, name: string, value: string): string =>
  secretDigest(name, new SecretValue(value), digests);

describe('a digest in a status', () => {
  const victim = digestsAt('team-a', 'agent', 'uid-a');
  const other = digestsAt('team-b', 'agent', 'uid-b');

  it('of the same name and value differs between resources', () => {
    expect(of(victim, 'PIN', '4711')).not.toBe(of(other, 'PIN', '4711'));
    expect(of(victim, 'PIN', '4711')).toBe(of(digestsAt('team-a', 'agent', 'uid-a'), 'PIN', '4711'));
  });

  it('is met by none of 10,000 guesses from elsewhere, for whatever name and purpose, divided anywhere', () => {
    const secret = 'ADMIN_PIN\n4711\n';
    const told = new Set([
      of(victim, 'ADMIN_PIN', '4711\n'),
      victim.bind('names', 'secrets', victim.part(secret)),
    ]);
    const purposes = Object.keys(PURPOSES) as Purpose[];
    const random = seededRandom(4711);
    const purpose = (): Purpose => purposes[Math.floor(random() * purposes.length)] ?? 'field';
    const text = `secrets/${secret}`;
    let met = 0;
    for (let n = 0; n < 10_000; n += 1) {
      const at = Math.floor(random() * (text.length + 1));
      const [head, tail] = [text.slice(0, at), text.slice(at)];
      const guesses = [
        of(other, head, tail),
        of(other, 'ADMIN_PIN', '4711\n'),
        other.bind(purpose(), head, other.part(tail)),
        other.bind(purpose(), 'ADMIN_PIN', other.part(text)),
        other.part(text),
      ];
      met += guesses.filter((guess) => told.has(guess)).length;
    }
    expect(met).toBe(0);
  });

  it('reveals nothing about another name or purpose of the same resource, for any split of the two', () => {
    const seen = new Set<string>();
    const text = 'PIN\nPIN\n4711';
    for (let at = 0; at <= text.length; at += 1) seen.add(of(victim, text.slice(0, at), text.slice(at)));
    expect(seen.size).toBe(text.length + 1);
    const part = victim.part('x');
    for (const purpose of Object.keys(PURPOSES) as Purpose[]) seen.add(victim.bind(purpose, '', part));
    expect(seen.size).toBe(text.length + 1 + Object.keys(PURPOSES).length);
  });

  it('differs from one of release 0.1.0, which was not bound to a resource', () => {
    expect(isUnbound(of(victim, 'PIN', '4711'))).toBe(false);
    expect(isUnbound(victim.part('secrets/PIN\n4711'))).toBe(true);
    expect(isUnbound('')).toBe(false);
    expect(isUnbound('of-tomorrow')).toBe(false);
  });

  it('of a field depends on its path', () => {
    const { fields } = desiredDeployment(
      { source: 'codehost', sourceRevisionConfig: { repoRef: 'main', graphConfigPath: 'main' } },
      { kind: 'unmanaged' },
    );
    const made = new Set(fields.map((desired) => fieldDigest(desired, 'main', victim)));
    expect(made.size).toBe(2);
  });
});

describe('the identity that digests are bound to', () => {
  it('is that of the resource whose status was begun, if it was restored in its place with a new uid', () => {
    const before = digestsAt('team-a', 'agent', 'uid-a');
    const restored = digestsAt('team-a', 'agent', 'uid-new', before.keyID);
    expect(restored.keyID).toBe(before.keyID);
    expect(of(restored, 'PIN', '4711')).toBe(of(before, 'PIN', '4711'));
  });

  it('is not that of another place, whatever the status says', () => {
    const before = digestsAt('team-a', 'agent', 'uid-a');
    for (const [namespace, name] of [
      ['team-b', 'agent'],
      ['team-a', 'other'],
    ] as const) {
      const moved = digestsAt(namespace, name, 'uid-new', before.keyID);
      expect(moved.keyID).not.toBe(before.keyID);
      expect(moved.keyID).toBe(digestsAt(namespace, name, 'uid-new').keyID);
      expect(of(moved, 'PIN', '4711')).not.toBe(of(before, 'PIN', '4711'));
    }
  });

  it('is the uid of the resource if the key is another one, or the label is not ours', () => {
    const label = digestsAt('team-a', 'agent', 'uid-a').keyID;
    const fresh = digestsAt('team-a', 'agent', 'uid-new').keyID;
    const [version, , identity] = label.split(':');
    for (const stored of [`${version}:00000000:${identity}`, 'v1:first', 'v3:x:y.z', '', 'v2:::.']) {
      expect(digestsAt('team-a', 'agent', 'uid-new', stored).keyID).toBe(fresh);
    }
  });
});
