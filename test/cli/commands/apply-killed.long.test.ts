import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault, RequestMatch } from '../../../src/simulator/faults/scenario.ts';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { type OperatorProcess, startOperator } from '../../support/worlds/operator-process.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const AGENT = { name: 'agent', revisionConfig: { image_uri: 'registry.example.com/agent:1' } };

interface Story {
  readonly name: string;
  readonly manifest: string;
  readonly operation: NonNullable<RequestMatch['operation']>;
}

const STORIES: readonly Story[] = [
  {
    name: 'a PATCH',
    manifest: deploymentYaml('agent', { image: 'registry.example.com/agent:2' }),
    operation: 'patch',
  },
  {
    name: 'a creation',
    manifest: deploymentYaml('fresh', { spec: '  creation: {policy: IfMissing}\n' }),
    operation: 'create',
  },
];

async function given({ manifest, operation }: Story, fault: Fault) {
  const { service, url } = await servedService([AGENT]);
  service.faults.add({ match: { operation }, fault });
  const connection = connectionTo(url, { spec: '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n' });
  const folder = temporaryFolder({ 'connection.yaml': connection, 'a.yaml': manifest });
  const apply = (): OperatorProcess => {
    const process = startOperator(['apply', '-f', folder.path, '--yes']);
    onTestFinished(() => process.kill());
    return process;
  };
  return { folder, service, apply, sent: () => service.log.requests(operation).length };
}

describe('apply as a process', () => {
  it.each(STORIES)(
    'that is killed during $name is continued by the next one, and nothing is sent twice',
    async (story) => {
      const { folder, apply, sent, service } = await given(story, { kind: 'apply-then-fail', how: 'hang' });
      const first = apply();
      await expect.poll(sent, { timeout: 20_000, interval: 20 }).toBe(1);
      await first.kill();
      expect(folder.read('.dms-operator/state.json')).toContain('"pendingWrite"');
      expect(await apply().ended).toBe(0);
      expect(sent()).toBe(1);
      expect(service.deployments()).toHaveLength(story.operation === 'create' ? 2 : 1);
      expect(folder.read('.dms-operator/state.json')).not.toContain('"pendingWrite"');
    },
    60_000,
  );

  it.each(STORIES)(
    'that is stopped by Ctrl-C during $name completes it, and the next one sends nothing',
    async (story) => {
      const { folder, apply, sent } = await given(story, { kind: 'delay', ms: 1_500 });
      const first = apply();
      await expect.poll(sent, { timeout: 20_000, interval: 20 }).toBe(1);
      process.kill(first.pid, 'SIGINT');
      expect(await first.ended).toBe(130);
      expect(first.lines).toContain('stopping after the requests under way');
      expect(folder.read('.dms-operator/state.json')).not.toContain('"pendingWrite"');
      expect(await apply().ended).toBe(0);
      expect(sent()).toBe(1);
    },
    60_000,
  );

  it('refuses a folder that another process uses, in one line that names it', async () => {
    const story = STORIES[0];
    if (story === undefined) throw new Error('there is a story');
    const { apply, sent } = await given(story, { kind: 'hang' });
    const first = apply();
    await expect.poll(sent, { timeout: 20_000, interval: 20 }).toBe(1);
    const second = apply();
    expect(await second.ended).toBe(1);
    expect(second.lines).toEqual([
      expect.stringMatching(
        new RegExp(`^dms-operator: .*state\\.json\\.lock: the state is in use by process ${first.pid}; stop`),
      ),
    ]);
  }, 60_000);
});
