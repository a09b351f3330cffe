import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensureControlPlaneBinaries } from '../../support/control-plane/control-plane-binaries.ts';
import { withFileLock } from '../../support/programs/file-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'binaries-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe('the programs of a control plane', () => {
  it('come from KUBEBUILDER_ASSETS if that is set, and single ones from TEST_ASSET_*', async () => {
    const kubectl = join(folder, 'my-kubectl');
    for (const file of ['etcd', 'kube-apiserver', 'my-kubectl']) {
      await writeFile(join(folder, file), '', { mode: 0o755 });
    }
    vi.stubEnv('KUBEBUILDER_ASSETS', folder);
    vi.stubEnv('TEST_ASSET_KUBECTL', kubectl);

    expect(await ensureControlPlaneBinaries(() => undefined)).toEqual({
      etcd: join(folder, 'etcd'),
      kubeApiserver: join(folder, 'kube-apiserver'),
      kubectl,
    });
  });

  it('are not searched for elsewhere if the environment names missing ones', async () => {
    await writeFile(join(folder, 'etcd'), '', { mode: 0o755 });
    vi.stubEnv('KUBEBUILDER_ASSETS', folder);

    await expect(ensureControlPlaneBinaries(() => undefined)).rejects.toThrow(
      `programs that cannot be run: ${join(folder, 'kube-apiserver')}, ${join(folder, 'kubectl')}`,
    );
  });
});

describe('the lock around their preparation', () => {
  it('admits one process at a time, and informs those that wait', async () => {
    const file = join(folder, 'lock');
    const happened: string[] = [];
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const first = withFileLock(
      file,
      () => undefined,
      async () => {
        entered.resolve();
        await gate.promise;
        happened.push('first');
      },
    );
    await entered.promise;
    const told = Promise.withResolvers<string>();
    const second = withFileLock(file, told.resolve, async () => void happened.push('second'));

    expect(await told.promise).toContain('waiting for another process');
    gate.resolve();
    await Promise.all([first, second]);

    expect(happened).toEqual(['first', 'second']);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('does not wait for a dead process', async () => {
    const file = join(folder, 'lock');
    await writeFile(file, '1\n');
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(file, longAgo, longAgo);
    const entered = vi.fn(async () => undefined);

    await withFileLock(file, () => undefined, entered);

    expect(entered).toHaveBeenCalledOnce();
  });

  it('is released after work that failed', async () => {
    const file = join(folder, 'lock');
    const failing = withFileLock(
      file,
      () => undefined,
      () => Promise.reject(new Error('no go')),
    );
    await expect(failing).rejects.toThrow('no go');

    await withFileLock(
      file,
      () => undefined,
      async () => undefined,
    );
  });
});
