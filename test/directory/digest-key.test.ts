import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../src/api/metadata.ts';
import { keyedDigest, keyIDOf, loadOrCreateDigestKey } from '../../src/directory/digest-key.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { deploymentYaml, secretYaml } from './support/manifests.ts';
import { openFolder } from './support/open.ts';

const fixedBytes = (count: number): Uint8Array => new Uint8Array(count).fill(7);
const neverAsked = (): Uint8Array => {
  throw new Error('no new key may be made');
};

describe('the digest key of a folder', () => {
  it('is made once, of 32 random bytes, for its owner alone', async () => {
    const folder = temporaryFolder();
    const made = await loadOrCreateDigestKey(folder.at('state.json.key'), fixedBytes);
    expect(made.key).toEqual(fixedBytes(32));
    expect(statSync(folder.at('state.json.key')).mode & 0o777).toBe(0o600);
    const again = await loadOrCreateDigestKey(folder.at('state.json.key'), neverAsked);
    expect(again.keyID).toBe(made.keyID);
    expect(Buffer.from(again.key)).toEqual(Buffer.from(made.key));
  });

  it('is not replaced when the file holds something else', async () => {
    const folder = temporaryFolder({ key: 'short' });
    await expect(loadOrCreateDigestKey(folder.at('key'), neverAsked)).rejects.toThrow(
      'is not a digest key of 32 bytes',
    );
  });

  it('gives digests that name it and depend on it', () => {
    const one = { keyID: 'one', key: fixedBytes(32) };
    const two = { keyID: 'two', key: new Uint8Array(32).fill(8) };
    expect(keyIDOf(keyedDigest('x', one))).toBe('one');
    expect(keyedDigest('x', one)).toMatch(/^one:[\w-]{22}$/);
    expect(keyedDigest('x', one).slice(4)).not.toBe(keyedDigest('x', two).slice(4));
    expect(keyedDigest('x', one)).not.toBe(keyedDigest('y', one));
  });

  it('moves no generation and no version of a Secret when it is lost', async () => {
    const agent: Key = { kind: 'Deployment', namespace: 'team-a', name: 'agent' };
    const creds = { kind: 'Secret', namespace: 'team-a', name: 'creds' } as const;
    const folder = temporaryFolder({
      'a.yaml': deploymentYaml('agent'),
      's.yaml': secretYaml('creds', { a: 'b' }),
    });
    const first = await openFolder(folder.path);
    const before = {
      resource: await first.store.get(agent),
      secret: await first.adapter.secretReader.read(creds),
    };
    await first.stop();
    folder.remove('.dms-operator/state.json.key');
    const second = await openFolder(folder.path);
    expect(second.adapter.digestKey.keyID).not.toBe(first.adapter.digestKey.keyID);
    expect(await second.store.get(agent)).toEqual(before.resource);
    expect((await second.adapter.secretReader.read(creds))?.resourceVersion).toBe(
      before.secret?.resourceVersion,
    );
    await second.stop();
    folder.write('a.yaml', deploymentYaml('agent', { image: 'registry.example.com/agent:2' }));
    const third = await openFolder(folder.path);
    expect((await third.store.get(agent))?.metadata.generation).toBe(2);
  });
});
