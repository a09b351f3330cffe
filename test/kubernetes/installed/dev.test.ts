import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const DEV = join(import.meta.dirname, '..', '..', '..', 'scripts', 'dev.ts');
const START_LIMIT_MS = 15 * 60_000;
const EVENTUALLY = { timeout: 20_000, interval: 250 };

describe('npm run dev', () => {
  const dev = spawn(process.execPath, [DEV], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [dev.stdout, dev.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));

  beforeAll(async () => {
    await vi.waitFor(() => expect(said).toContain('"msg":"ready"'), {
      timeout: START_LIMIT_MS,
      interval: 100,
    });
  }, START_LIMIT_MS);
  afterAll(() => void dev.kill('SIGTERM'));

  it('prints commands that work unchanged', async () => {
    expect(await shell(told(/KUBECONFIG=\S+ \S+ get dms$/m))).toContain(
      'deployment.dms-operator.dev/support-agent',
    );
    expect(await shell(told(/KUBECONFIG=\S+ \S+ patch .*$/m))).toContain('patched');
    expect(await shell(told(/curl .*$/m))).toContain('"build_on_push":true');
    const events = told(/KUBECONFIG=\S+ \S+ events .*$/m);
    await vi.waitFor(async () => expect(await shell(events)).toContain('PatchSent'), EVENTUALLY);
  });

  it('ends on Ctrl-C with every process it started, and leaves no files', async () => {
    const [kubeconfigFile] = /(?<=KUBECONFIG=)\S+/.exec(said) ?? [];
    expect(existsSync(kubeconfigFile ?? '')).toBe(true);

    dev.kill('SIGINT');
    expect(await once(dev, 'exit')).toEqual([0, null]);

    expect(existsSync(kubeconfigFile ?? '')).toBe(false);
    await expect(fetch(`${/http:\/\/127[0-9.:]+/.exec(said)?.[0]}/v2/deployments`)).rejects.toThrow(
      'fetch failed',
    );
  });

  function told(line: RegExp): string {
    const [found] = line.exec(said) ?? [];
    if (found === undefined) throw new Error(`nothing like ${line} in:\n${said}`);
    return found;
  }
});

async function shell(line: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', line])).stdout;
}
