import { describe, expect, it, onTestFinished } from 'vitest';
import { dispatch } from '../../../../src/cli/dispatch.ts';
import { startOperator } from '../../../support/worlds/operator-process.ts';
import { deploymentYaml } from '../../../directory/support/manifests.ts';
import { given, NEWER, writes } from '../../support/applied.ts';
import { MemoryTerminal, run } from '../../support/terminal.ts';

describe('verbs in a folder', () => {
  it('approve asks about the plan that it shows, and apply then sends it', async () => {
    const applied = await given({
      'a.yaml': deploymentYaml('agent', { image: NEWER, spec: '  approval: Manual # two people\n' }),
    });
    const { folder, apply } = applied;
    const words = ['approve', '--all', '--dir', folder.path];
    expect((await run(words)).out).toBe(
      'team-a/agent is passed over: no plan waits for approval; the controller has not looked at it yet\n',
    );
    expect((await apply()).code).toBe(3);
    const refused = new MemoryTerminal({ answer: 'n' });
    expect(await dispatch(words, 'dms-operator', refused)).toBe(1);
    expect(refused.questions).toEqual(['this approves 1 plan (team-a/agent). Go on? [y/N] ']);
    expect(folder.read('a.yaml')).not.toContain('approve');
    const { out, code } = await run([...words, '--yes']);
    expect([out.split('\n').at(-2), code]).toEqual(['team-a/agent approved', 0]);
    expect(folder.read('a.yaml')).toContain('  approval: Manual # two people\n');
    expect(writes(applied)).toEqual([]);
    expect((await apply()).code).toBe(0);
    expect(writes(applied)).toEqual(['patch']);
    expect(applied.service.shown('agent')).toMatchObject({ source_revision_config: { image_uri: NEWER } });
  });

  it('pause holds an apply until resume', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    const { folder, apply } = applied;
    const before = folder.read('a.yaml');
    await run(['pause', 'agent', '--dir', folder.path]);
    expect((await apply()).code).toBe(3);
    expect(writes(applied)).toEqual([]);
    await run(['resume', 'agent', '--dir', folder.path]);
    expect(folder.read('a.yaml')).toBe(before);
    expect((await apply()).code).toBe(0);
    expect(writes(applied)).toEqual(['patch']);
  });

  it('redeploy and reconcile are carried out by a running process, which --wait waits for', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    const { folder, apply, service } = applied;
    expect((await apply()).code).toBe(0);
    const operator = startOperator(['run', '--dir', folder.path, '--metrics-address', '0']);
    onTestFinished(() => operator.kill());
    for (const verb of ['redeploy', 'reconcile']) {
      const { code, out, err } = await run([
        verb,
        'agent',
        '--dir',
        folder.path,
        '--wait',
        '--timeout',
        '60',
      ]);
      expect([verb, code, out]).toEqual([
        verb,
        0,
        `team-a/agent will be ${verb === 'redeploy' ? 'redeployed' : 'looked at'}\n`,
      ]);
      expect(err).toMatch(/a\.yaml:\d+: dms-operator\.dev\/\S+ set to "\d{4}-\S+"; commit this file\n$/);
    }
    expect(writes(applied)).toEqual(['patch', 'patch']);
    expect(service.log.requests('patch').at(-1)?.body).toEqual({
      source_revision_config: { image_uri: NEWER },
    });
    expect(await operator.stop()).toBe(0);
  }, 90_000);
});
