import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { hashOf, hashOfToday, keyIDOf } from '../../../src/directory/manifests/hash-of.ts';
import { dataEntry } from '../../../src/directory/manifests/data-manifest.ts';
import { loadOrCreateDigestKey } from '../../../src/directory/state/digest-key.ts';
import { hmacDigester } from '../../../src/runtime/process/hmac-digester.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml, secretYaml } from '../support/manifests.ts';
import { openFolder } from '../support/open.ts';

const fixedBytes = (count: number): Uint8Array => new Uint8Array(count).fill(7);
const valueOf = (text: string) => ({ data: new Map([['a', dataEntry(Buffer.from(text))]]) });
const X = valueOf('x');
const neverAsked = (): Uint8Array => {
  throw new Error('no new key may be made');
};

describe('the digest key of a folder', () => {
  it('is made once, of 32 random bytes, for its owner alone', async () => {
    const folder = temporaryFolder();
    const made = await loadOrCreateDigestKey(folder.at('state.json.key'), fixedBytes);
    expect(made).toEqual(fixedBytes(32));
    expect(statSync(folder.at('state.json.key')).mode & 0o777).toBe(0o600);
    const again = await loadOrCreateDigestKey(folder.at('state.json.key'), neverAsked);
    expect(Buffer.from(again)).toEqual(Buffer.from(made));
  });

  it('is not replaced if the file holds something else', async () => {
    const folder = temporaryFolder({ key: 'short' });
    await expect(loadOrCreateDigestKey(folder.at('key'), neverAsked)).rejects.toThrow(
      'is not a digest key of 32 bytes',
    );
  });

  it('produces digests that name the key and depend on it', () => {
    const one = hmacDigester(fixedBytes(32));
    const two = hmacDigester(new Uint8Array(32).fill(8));
    const hash = hashOf({ content: X, uid: 'uid' }, one);
    expect(hash).toMatch(/^v2:[\da-f]{8}:[\w-]{22}$/);
    expect(keyIDOf(hash)).toBe(`v2:${one.keyID}`);
    expect(keyIDOf(hashOf({ content: X, uid: 'uid' }, two))).toBe(`v2:${two.keyID}`);
    expect(hashOf({ content: valueOf('y'), uid: 'uid' }, one)).not.toBe(hash);
  });

  it('gives the same values two digests in two resources', () => {
    const digester = hmacDigester(fixedBytes(32));
    expect(hashOf({ content: X, uid: 'one' }, digester)).not.toBe(
      hashOf({ content: X, uid: 'two' }, digester),
    );
  });

  it('matches a digest of release 0.1.0 to the same content only', () => {
    const digester = hmacDigester(fixedBytes(32));
    // The format in which 0.1.0 wrote digests.
    const old = `v1:${digester.keyID}:${digester.digest('[["a","eA=="]]')}`;
    expect(hashOfToday(old, { content: X, uid: 'uid' }, digester)).toBe(
      hashOf({ content: X, uid: 'uid' }, digester),
    );
    expect(hashOfToday(old, { content: X, uid: 'uid' }, digester)).not.toBe(
      hashOf({ content: valueOf('y'), uid: 'uid' }, digester),
    );
    const lost = hmacDigester(new Uint8Array(32).fill(8));
    expect(hashOfToday(old, { content: X, uid: 'uid' }, lost)).toBe(old);
  });

  it('changes no generation and no version of a Secret when it is lost', async () => {
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
    expect(second.adapter.digester.keyID).not.toBe(first.adapter.digester.keyID);
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
