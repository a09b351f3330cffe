import { describe, expect, it, onTestFinished } from 'vitest';
import { dispatch } from '../../../src/cli/dispatch.ts';
import type { DeploymentScreen } from '../../../src/views/screens/deployment-screen.ts';
import type { FleetScreen } from '../../../src/views/screens/fleet-screen.ts';
import type { Overview } from '../../../src/views/screens/overview.ts';
import { signIn } from '../../support/console/served-console.ts';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { given, NEWER, writes } from '../support/applied.ts';
import { recording } from '../support/recording.ts';
import { start } from '../support/process.ts';
import { MemoryTerminal, run } from '../support/terminal.ts';

/** Runs a console in this process until the test ends. */
async function consoleOf(...words: readonly string[]) {
  const terminal = new MemoryTerminal();
  const ended = dispatch(['console', ...words], 'dms-operator', terminal);
  onTestFinished(async () => {
    terminal.stop('SIGINT');
    await ended;
  });
  await expect.poll(() => terminal.outText + terminal.errText).toMatch(/^console at .*\n/);
  const [, url = ''] = /^console at (\S+)/.exec(terminal.outText) ?? [];
  return { terminal, ended, url };
}

describe('console on a folder', () => {
  it('is as it was agreed, from its first line to its last, and ends within a second', async () => {
    const folder = temporaryFolder({ 'agent.yaml': deploymentYaml('agent') });
    const { terminal, ended, url } = await consoleOf('--dir', folder.path, '--no-open');
    await signIn(url);
    const began = performance.now();
    terminal.stop('SIGINT');
    const seen = { out: terminal.outText, err: terminal.errText, code: await ended };
    expect(performance.now() - began).toBeLessThan(1_000);
    const words = ['console', '--dir', folder.path, '--no-open'];
    const names = { [folder.path]: 'manifests', [url.replace(/^.*=/, '')]: '<token>' };
    await expect(recording(words, seen, names)).toMatchFileSnapshot('../golden/console.txt');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('works without a browser', async () => {
    const folder = temporaryFolder({ 'agent.yaml': deploymentYaml('agent') });
    const { url } = await consoleOf('--dir', folder.path);
    await signIn(url);
  });

  it('shows what apply found, approves exactly that in the file, and changes no other file', async () => {
    const applied = await given({
      'a.yaml': deploymentYaml('agent', { image: NEWER, spec: '  approval: Manual # two people\n' }),
    });
    const { folder, apply } = applied;
    const { url } = await consoleOf('--dir', folder.path, '--no-open', '--allow-actions');
    const { get, post } = await signIn(url);
    const screen = async (): Promise<DeploymentScreen> =>
      (await get('/api/deployment?namespace=team-a&name=agent')).json as DeploymentScreen;
    const before = await screen();
    expect(before.row.headline).toBe('Pending');
    expect((await apply()).code).toBe(3);
    await expect.poll(async () => (await screen()).row.headline, { timeout: 1_000 }).toBe('AwaitingApproval');
    const { plan, resourceVersion, actions } = await screen();
    expect(plan?.changes).toMatchObject([{ to: NEWER }]);
    expect(actions[0]).toMatchObject({
      action: 'approve',
      allowed: true,
      shows: expect.stringMatching(/^# .*a\.yaml:\d+\n/),
    });
    const about = { namespace: 'team-a', name: 'agent', action: 'approve', resourceVersion };
    const wrong = await post('/api/actions', { ...about, hash: '00000000000000000000' });
    expect(wrong).toMatchObject({ status: 409, json: { screen: { plan: { hash: plan?.hash } } } });
    const stale = await post('/api/actions', {
      ...about,
      resourceVersion: before.resourceVersion,
      hash: plan?.hash,
    });
    expect(stale.status).toBe(409);
    expect(folder.read('a.yaml')).not.toContain('dms-operator.dev/approve');
    const done = await post('/api/actions', { ...about, hash: plan?.hash });
    expect(done).toMatchObject({
      status: 200,
      json: { done: expect.stringMatching(/approved; .*a\.yaml:\d+ was edited/) },
    });
    expect(folder.read('a.yaml')).toContain(`dms-operator.dev/approve: "${plan?.hash}"`);
    expect(writes(applied)).toEqual([]);
    expect((await apply()).code).toBe(0);
    expect(writes(applied)).toEqual(['patch']);
  });

  it('asks the service for a plan on a click, and not before', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    const { url } = await consoleOf('--dir', applied.folder.path, '--no-open');
    const { get, post } = await signIn(url);
    for (const path of ['overview', 'fleet', 'connections', 'waiting', 'drift']) await get(`/api/${path}`);
    expect(applied.service.log.requests()).toEqual([]);
    const { json } = await post('/api/plan', { namespace: 'team-a', name: 'agent' });
    expect(json).toMatchObject({ action: 'Update', sends: true, changes: [{ to: NEWER, drift: false }] });
    expect(applied.service.log.requests().every(({ method }) => method === 'GET')).toBe(true);
    expect(await post('/api/plan', { namespace: 'team-a', name: 'nobody' })).toMatchObject({ status: 404 });
  });

  it('follows manifests, and names those with errors', async () => {
    const folder = temporaryFolder({ 'a.yaml': deploymentYaml('agent') });
    const { url } = await consoleOf('--dir', folder.path, '--no-open');
    const { get } = await signIn(url);
    folder.write('b.yaml', deploymentYaml('bot'));
    folder.write('c.yaml', 'kind: [');
    const names = async () =>
      ((await get('/api/fleet')).json as { rows: { name: string }[] }).rows.map(({ name }) => name);
    await expect.poll(names).toEqual(['agent', 'bot']);
    const { json } = await get('/api/overview');
    expect(json).toMatchObject({
      mode: 'folder',
      freshness: { problems: [expect.stringContaining('c.yaml')] },
    });
  });

  it('keeps showing its data while the state is unreadable, and says so', async () => {
    const applied = await given({ 'a.yaml': deploymentYaml('agent', { image: NEWER }) });
    expect((await applied.apply()).code).toBe(0);
    const { folder } = applied;
    const { get } = await signIn((await consoleOf('--dir', folder.path, '--no-open')).url);
    const stale = async () => ((await get('/api/overview')).json as Overview).freshness.stale;
    const sentence = async () => ((await get('/api/fleet')).json as FleetScreen).sentence;
    const before = await sentence();
    expect([await stale(), before]).toEqual([undefined, expect.not.stringContaining('not looked at')]);
    const state = folder.read('.dms-operator/state.json');
    folder.write('.dms-operator/state.json', '{');
    await expect.poll(stale).toContain('the state cannot be read: ');
    expect(await sentence()).toBe(before);
    folder.write('.dms-operator/state.json', state);
    await expect.poll(stale).toBeUndefined();
  });

  it('ends within a second as a process, with an open page', async () => {
    const folder = temporaryFolder({ 'agent.yaml': deploymentYaml('agent') });
    const { child, printed, ended } = start(['console', '--dir', folder.path, '--no-open']);
    await expect.poll(() => printed.out, { timeout: 20_000 }).toContain('console at ');
    const url = /http:\S+/.exec(printed.out)?.[0] ?? '';
    const { get } = await signIn(url);
    const listening = get('/api/stream').catch(() => undefined);
    await get('/api/fleet');
    const began = performance.now();
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(1_000);
    await listening;
  });

  it.each([
    [
      ['--dir', '$', '--context', 'x'],
      '--dir: does not go together with flags that name a cluster; leave out either',
    ],
    [['--state', 'x'], '--state: works only together with --dir'],
    [['--dir', '/nowhere/at/all'], '/nowhere/at/all: there is no such folder; name one that exists'],
    [['--port', 'x'], "option '--port <port>' argument 'x' is invalid"],
  ])('reports an invalid command line in one line: %j', async (words, line) => {
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent')) });
    const { err, out, code } = await run(['console', ...words.map((word) => word.replace('$', folder.path))]);
    expect(err).toContain(line);
    expect([out, code === 0]).toEqual(['', false]);
  });
});
