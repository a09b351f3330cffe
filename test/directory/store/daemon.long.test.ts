import { once } from 'node:events';
import { existsSync, renameSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOperator } from '../../support/worlds/operator-process.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { deploymentYaml, secretYaml } from '../support/manifests.ts';

const AGENT = { name: 'agent', revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const image = (tag: number): string => `registry.example.com/agent:${tag}`;

describe('run --dir as a process', () => {
  it('follows swapped links in one folder beside another, and keeps its state private', async () => {
    const { service, url } = await servedService([
      AGENT,
      { name: 'seen', secrets: [{ name: 'S', value: 'of-theirs-2' }] },
    ]);
    const spec =
      '  secretsOwnership: Exclusive\n  secrets:\n  - {name: T, valueFrom: {secretKeyRef: {name: creds, key: token}}}\n';
    const mounted = temporaryFolder({
      '..one/a.yaml': deploymentYaml('agent', { image: image(2), spec }),
      '..two/a.yaml': deploymentYaml('agent', { image: image(3), spec }),
    });
    symlinkSync('..one', mounted.at('..data'));
    symlinkSync('..data/a.yaml', mounted.at('a.yaml'));
    const beside = temporaryFolder({
      'c.yaml': connectionTo(url, { spec: '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n' }),
      's.yaml': secretYaml('creds', { token: 'the-token-of-ours' }),
    });
    const state = temporaryFolder();
    const words = ['run', '--dir', mounted.path, '--dir', beside.path, '--state', state.at('state.json')];
    const operator = startOperator([...words, '--metrics-address', '0', '--log-format', 'json']);
    onTestFinished(() => operator.kill());
    const shown = (): unknown => service.deployment('agent')?.content.revisionConfig['image_uri'];
    await expect.poll(shown, { timeout: 30_000 }).toBe(image(2));
    symlinkSync('..two', mounted.at('..next'));
    renameSync(mounted.at('..next'), mounted.at('..data'));
    await expect.poll(shown, { timeout: 30_000 }).toBe(image(3));
    expect(await operator.stop()).toBe(0);
    const kept = JSON.parse(state.read('state.json')) as { version: number };
    expect(kept.version).toBe(1);
    for (const text of [state.read('state.json'), operator.lines.join('\n')])
      expect(text).not.toContain('the-token-of-ours');
    expect(service.log.requests('patch')).toHaveLength(2);
  }, 90_000);

  it('reports outside of a pod that other machines can read its metrics, if no host was named', async () => {
    const folder = temporaryFolder({ 'c.yaml': connectionTo('http://127.0.0.1:1') });
    for (const [address, isOpen] of [
      [':0', true],
      ['127.0.0.1:0', false],
    ] as const) {
      const operator = startOperator(['run', '--dir', folder.path, '--metrics-address', address]);
      onTestFinished(() => operator.kill());
      const served = (): string => operator.lines.find((line) => line.includes('are served')) ?? '';
      await expect.poll(served, { timeout: 30_000 }).not.toBe('');
      expect(served().includes('any machine can read them; --metrics-address 127.0.0.1:')).toBe(isOpen);
      expect(await operator.stop()).toBe(0);
    }
  }, 60_000);

  it('exits with one line and releases its state if it cannot serve its metrics', async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const folder = temporaryFolder({ 'c.yaml': connectionTo('http://127.0.0.1:1') });
    for (const [address, why] of [
      [`127.0.0.1:${port}`, 'another process listens there'],
      ['192.0.2.1:8080', 'this machine does not have that address'],
    ] as const) {
      const operator = startOperator(['run', '--dir', folder.path, '--metrics-address', address]);
      onTestFinished(() => operator.kill());
      expect(await operator.ended).toBe(1);
      expect(operator.lines.at(-1)).toBe(
        `dms-operator: metrics and health cannot be served at ${address}: ${why}; ` +
          'name another address with --metrics-address, or 0 for none',
      );
      expect(existsSync(folder.at('.dms-operator/state.json.lock'))).toBe(false);
    }
  }, 60_000);
});
