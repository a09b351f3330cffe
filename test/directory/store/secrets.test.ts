import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keyText } from '../../../src/api/metadata.ts';
import type { DataObject, DataObjectName } from '../../../src/ports/stores/secret-reader.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml, secretYaml, together } from '../support/manifests.ts';
import { openFolder, type OpenDirectory } from '../support/open.ts';

const CREDS: DataObjectName = { kind: 'Secret', namespace: 'team-a', name: 'creds' };

const read = ({ adapter }: OpenDirectory, name = CREDS): Promise<DataObject | undefined> =>
  adapter.secretReader.read(name);

/** Returns the values of an object as plain text. */
function texts(object: DataObject | undefined): Record<string, string> {
  return Object.fromEntries([...(object?.data ?? [])].map(([key, { value }]) => [key, value.reveal()]));
}

describe('Secrets and ConfigMaps of a folder', () => {
  it('return their values decoded, and stringData overrides data', async () => {
    const data = 'data: {a: b2xk, b: Ym90aA==, bin: /wA=}\n';
    const folder = temporaryFolder({
      's.yaml': `${secretYaml('creds', { a: 'new' })}${data}`,
      'c.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: creds, namespace: team-a}\ndata: {ca: text}\nbinaryData: {b: Ym90aA==}\n',
    });
    const opened = await openFolder(folder.path);
    const secret = await read(opened);
    expect(texts(secret)).toMatchObject({ a: 'new', b: 'both' });
    expect(secret?.data.get('a')?.utf8).toBe(true);
    expect(secret?.data.get('bin')).toMatchObject({ utf8: false, bytes: Buffer.from([0xff, 0]) });
    expect(texts(await read(opened, { ...CREDS, kind: 'ConfigMap' }))).toEqual({ ca: 'text', b: 'both' });
    expect(await read(opened, { ...CREDS, namespace: 'team-b' })).toBeUndefined();
  });

  it('keep a value unchanged that begins with a byte order mark or ends in a newline', async () => {
    const folder = temporaryFolder({ 's.yaml': secretYaml('creds', { a: '\uFEFFx\n' }) });
    expect(texts(await read(await openFolder(folder.path)))).toEqual({ a: '\uFEFFx\n' });
  });

  it('change their version only when their values change', async () => {
    const folder = temporaryFolder({ 's.yaml': secretYaml('creds', { a: 'one', b: 'x' }) });
    const opened = await openFolder(folder.path);
    await opened.watch();
    const first = await read(opened);
    folder.write('s.yaml', `# a comment\n${secretYaml('creds', { b: 'x', a: 'one' })}`);
    await opened.noticed();
    expect(await read(opened)).toMatchObject({ uid: first?.uid, resourceVersion: first?.resourceVersion });
    folder.write('s.yaml', secretYaml('creds', { a: 'two', b: 'x' }));
    await opened.noticed();
    const second = await read(opened);
    expect(second?.uid).toBe(first?.uid);
    expect(second?.resourceVersion).not.toBe(first?.resourceVersion);
  });

  it('leave no trace of a value in the state, in logs or in problems', async () => {
    const folder = temporaryFolder({
      's.yaml': together(
        secretYaml('creds', { a: 'hunter2' }),
        'apiVersion: v1\nkind: Secret\nstringData: {a: "hunter2}\n',
      ),
      'a.yaml': deploymentYaml('a', { spec: '  secrets: [{name: T, value: hunter2}]\n' }),
    });
    const opened = await openFolder(folder.path);
    const object = await read(opened);
    expect(JSON.stringify([...(object?.data.values() ?? [])].map(({ value }) => value))).not.toContain(
      'hunter2',
    );
    await opened.stop();
    expect(folder.read('.dms-operator/state.json')).not.toContain('hunter2');
    expect(JSON.stringify([opened.logger.lines, opened.adapter.problems()])).not.toContain('hunter2');
  });
});

describe('Secrets from a folder of secret files', () => {
  const mounted = { 'creds/token': 'from-file\n', 'creds/..data/token': 'internal', 'other/x': 'y' };

  it('are read on demand, byte by byte, for every namespace, and override documents', async () => {
    const secrets = temporaryFolder(mounted);
    const folder = temporaryFolder({
      'a.yaml': together(deploymentYaml('a'), secretYaml('creds', { token: 'example' })),
    });
    const opened = await openFolder(folder.path, { secretsDir: secrets.path });
    expect(texts(await read(opened))).toEqual({ token: 'from-file\n' });
    expect(texts(await read(opened, { ...CREDS, namespace: 'team-b' }))).toEqual({ token: 'from-file\n' });
    secrets.write('creds/token', 'changed');
    expect(texts(await read(opened))).toEqual({ token: 'changed' });
    expect(await read(opened, { ...CREDS, kind: 'ConfigMap' })).toBeUndefined();
  });

  it.each(['..', '.', 'creds/token', '../creds', '', 'none'])(
    'are not found under the name "%s"',
    async (name) => {
      const secrets = temporaryFolder(mounted);
      const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
      const opened = await openFolder(folder.path, { secretsDir: secrets.path });
      expect(await read(opened, { ...CREDS, name })).toBeUndefined();
    },
  );

  it('that are pipes or too large are refused by name, and hang nothing', async () => {
    const secrets = temporaryFolder({
      'large/token': 'x'.repeat(1024 * 1024 + 1),
      'full/token': 'x'.repeat(1024 * 1024),
    });
    mkdirSync(secrets.at('pipe'));
    execFileSync('mkfifo', [secrets.at('pipe/token')]);
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    const opened = await openFolder(folder.path, { secretsDir: secrets.path });
    const reason = { failure: { reason: 'SecretMissing' } };
    await expect(read(opened, { ...CREDS, name: 'pipe' })).rejects.toMatchObject({
      ...reason,
      message: expect.stringContaining('pipe/token of --secrets-dir is no regular file') as string,
    });
    await expect(read(opened, { ...CREDS, name: 'large' })).rejects.toMatchObject({
      ...reason,
      message: expect.stringContaining('large/token of --secrets-dir is larger than 1 MiB') as string,
    });
    expect((await read(opened, { ...CREDS, name: 'full' }))?.data.get('token')?.bytes).toHaveLength(
      1024 * 1024,
    );
  });

  it('wake the resources that use them when they appear, change through a swapped link, or disappear', async () => {
    const spec = '  secretsFrom: [{secretRef: {name: creds}}]\n';
    const folder = temporaryFolder({
      'a.yaml': together(deploymentYaml('user', { spec }), deploymentYaml('other')),
    });
    const secrets = temporaryFolder({ 'v1/token': 'one', 'v2/token': 'two' });
    const files = temporaryFolder();
    const opened = await openFolder(folder.path, { secretsDir: files.path });
    await opened.watch();
    const told: string[] = [];
    await opened.adapter.sources.deployments.start(
      (key) => told.push(keyText(key)),
      new AbortController().signal,
    );
    told.length = 0;
    const steps = [
      () => symlinkSync(secrets.at('v1'), files.at('creds')),
      () => {
        rmSync(files.at('creds'));
        symlinkSync(secrets.at('v2'), files.at('creds'));
      },
      () => rmSync(files.at('creds')),
    ];
    for (const [index, step] of steps.entries()) {
      step();
      await opened.noticed();
      expect(told).toHaveLength(index + 1);
    }
    expect(new Set(told)).toEqual(new Set(['Deployment/team-a/user']));
  });

  it('require a folder', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('a') });
    await expect(openFolder(folder.path, { secretsDir: folder.at('none') })).rejects.toThrow(
      'none: there is no such folder of secret files',
    );
    mkdirSync(folder.at('some'));
    await openFolder(folder.path, { secretsDir: folder.at('some') });
  });
});
