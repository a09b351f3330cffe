import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../../src/cli/dispatch.ts';
import { useControlPlane } from '../../../support/control-plane/shared-control-plane.ts';
import { noteSecret } from '../../../support/leaks/told.ts';
import { recording } from '../../support/recording.ts';
import { MemoryTerminal, run } from '../../support/terminal.ts';

const plane = useControlPlane();
const HASH = '5c1e0b7a90d2f1c44e07';
const TIME = '2020-01-01T00:00:00Z';

interface World {
  readonly namespace: string;
  /** Runs a command against the cluster, in the namespace. */
  cli(...words: string[]): ReturnType<typeof run>;
  /** Runs a command and returns its recording. */
  recorded(...words: string[]): Promise<string>;
  create(name: string, spec?: object, metadata?: object): Promise<void>;
  setStatus(name: string, status: object): Promise<void>;
  get(name: string): Promise<{ metadata: { annotations?: Record<string, string>; managedFields: object[] } }>;
}

async function aWorld(): Promise<World> {
  await plane().installCRDs();
  const namespace = await plane().createNamespace('verbs');
  const all = `/apis/dms-operator.dev/v1alpha1/namespaces/${namespace}/deployments`;
  const api = async (method: string, path: string, body?: object): Promise<unknown> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await plane().request(method, path, body, type);
    if (answer.status >= 400) throw new Error(answer.text);
    return answer.json;
  };
  const cli: World['cli'] = (...words) =>
    run([...words, '--kubeconfig', plane().kubeconfigFile, '-n', namespace]);
  return {
    namespace,
    cli,
    recorded: async (...words) => recording(words, await cli(...words), { [namespace]: 'team-a' }),
    async create(name, spec = {}, metadata = {}) {
      const body = {
        ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Deployment' },
        metadata: { name, namespace, ...metadata },
        spec: { source: 'external_container', ...spec },
      };
      await api('POST', all, body);
    },
    async setStatus(name, status) {
      await api('PATCH', `${all}/${name}/status`, { status });
    },
    get: async (name) => (await api('GET', `${all}/${name}`)) as Awaited<ReturnType<World['get']>>,
  };
}

const condition = (type: string, status: string, reason: string): object => ({
  ...{ type, status, reason, message: `${reason} it is`, observedGeneration: 1 },
  lastTransitionTime: TIME,
});

const WAITING = {
  observedGeneration: 1,
  plan: {
    hash: HASH,
    changesOmitted: 0,
    changes: [{ path: 'sourceRevisionConfig.imageURI', from: 'a:1', to: 'a:2', revision: 'Expected' }],
  },
  conditions: [condition('Ready', 'True', 'Active'), condition('Synced', 'False', 'AwaitingApproval')],
};

describe('verbs in a cluster', () => {
  it('pause and resume what is named, under a manager that Flux leaves alone', async () => {
    const { namespace, cli, recorded, create, get } = await aWorld();
    await create('a');
    await create('b');
    const paused = await recorded('pause', 'a', 'deployment.dms-operator.dev/b');
    await expect(paused).toMatchFileSnapshot('../../golden/pause.txt');
    const { metadata } = await get('a');
    expect(metadata.annotations).toEqual({ 'dms-operator.dev/paused': 'true' });
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'flux-client-side-apply', operation: 'Update' }),
    );
    expect((await cli('pause', '--all')).out).toBe(
      `${namespace}/a is paused already\n${namespace}/b is paused already\n`,
    );
    expect((await cli('resume', 'a', '-o', 'name')).out).toBe('deployment.dms-operator.dev/a\n');
    expect((await get('a')).metadata.annotations).toBeUndefined();
    await expect(await recorded('resume', '--all')).toMatchFileSnapshot('../../golden/resume.txt');
    expect(JSON.parse((await cli('resume', 'a', '-o', 'json')).out)).toEqual({
      formatVersion: 1,
      resources: [{ namespace, name: 'a', result: 'is not paused' }],
    });
  });

  it('change nothing if one of the names does not exist', async () => {
    const { namespace, cli, create, get } = await aWorld();
    await create('a');
    expect(await cli('pause', 'a', 'nobody')).toEqual({
      ...{ out: '', code: 1 },
      err: `dms-operator: deployments.dms-operator.dev "nobody" not found in namespace "${namespace}"\n`,
    });
    expect((await get('a')).metadata.annotations).toBeUndefined();
  });

  it('choose by label', async () => {
    const { namespace, cli, create } = await aWorld();
    await create('gold', {}, { labels: { tier: 'gold' } });
    await create('silver', {}, { labels: { tier: 'silver' } });
    expect((await cli('pause', '-l', 'tier in (gold)')).out).toBe(`${namespace}/gold paused\n`);
  });

  it('approve exactly the plan that is shown', async () => {
    const { namespace, cli, recorded, create, setStatus, get } = await aWorld();
    await create('a', { approval: 'Manual' });
    expect((await cli('approve', 'a')).err).toContain(
      'no plan waits for approval; the controller has not looked',
    );
    await setStatus('a', WAITING);
    expect(await cli('approve', 'a', '--hash', 'f'.repeat(20))).toMatchObject({
      code: 1,
      err: `dms-operator: ${namespace}/a: the plan that waits is ${HASH}, not ${'f'.repeat(20)}; look at it and approve that one\n`,
    });
    expect((await get('a')).metadata.annotations).toBeUndefined();
    const question = `this approves 1 plan (${namespace}/a)`;
    expect(await cli('approve', 'a')).toMatchObject({
      code: 1,
      err: `dms-operator: ${question} and there is nobody to ask: nothing was approved; give --yes, or --hash with the plan that was reviewed\n`,
    });
    const terminal = new MemoryTerminal({ answer: 'n' });
    const words = ['approve', 'a', '--kubeconfig', plane().kubeconfigFile, '-n', namespace];
    expect(await dispatch(words, 'dms-operator', terminal)).toBe(1);
    expect(terminal.questions).toEqual([`${question}. Go on? [y/N] `]);
    expect((await get('a')).metadata.annotations).toBeUndefined();
    await expect(await recorded('approve', 'a', '--hash', HASH)).toMatchFileSnapshot(
      '../../golden/approve.txt',
    );
    expect((await get('a')).metadata.annotations).toEqual({ 'dms-operator.dev/approve': HASH });
    expect((await cli('approve', 'a', '-o', 'json')).out).toContain('is approved already');
  });

  it('approve all waiting plans, and skip resources without one', async () => {
    const { namespace, cli, create, setStatus, get } = await aWorld();
    for (const name of ['a', 'b']) await create(name, { approval: 'Manual' });
    await create('c');
    await setStatus('a', WAITING);
    const { code, out, err } = await cli('approve', '--all', '--yes');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`${namespace}/a approved\n`);
    expect(out).toContain(
      `${namespace}/b is passed over: no plan waits for approval; the controller has not`,
    );
    expect(out).toContain(`${namespace}/c is passed over: nothing to approve; plans of a resource without`);
    expect((await get('a')).metadata.annotations).toEqual({ 'dms-operator.dev/approve': HASH });
    expect((await get('b')).metadata.annotations).toBeUndefined();
  });

  it('refuse to approve a plan that is older than the resource, or needs no approval', async () => {
    const { cli, create, setStatus } = await aWorld();
    await create('old', { approval: 'Manual' });
    await setStatus('old', { ...WAITING, observedGeneration: 0 });
    expect((await cli('approve', 'old')).err).toContain('the plan is older than the last change');
    await create('automatic');
    await setStatus('automatic', WAITING);
    expect((await cli('approve', 'automatic')).err).toContain('nothing to approve');
  });

  it.each([
    ['reconcile', 'reconcile-at', 'lastHandledReconcileAt'],
    ['redeploy', 'redeploy', 'lastHandledRedeploy'],
  ] as const)('%s waits until the controller has acted', async (verb, annotation, handled) => {
    const { recorded, create, setStatus, get } = await aWorld();
    await create('a');
    const late = await recorded(verb, 'a', '--wait', '--timeout', '0.1');
    await expect(late).toMatchFileSnapshot(`../../golden/${verb}-late.txt`);
    const first = (await get('a')).metadata.annotations?.[`dms-operator.dev/${annotation}`];
    const waiting = recorded(verb, 'a', '--wait', '--timeout', '30');
    const said = (): Promise<string | undefined> =>
      get('a').then(({ metadata }) => metadata.annotations?.[`dms-operator.dev/${annotation}`]);
    await expect.poll(said).not.toBe(first);
    await setStatus('a', { [handled]: await said() });
    await expect(await waiting).toMatchFileSnapshot(`../../golden/${verb}.txt`);
  });

  it('ask before they redeploy several resources that were not named', async () => {
    const { cli, create, get } = await aWorld();
    await create('a');
    await create('b');
    const asked = async (): Promise<readonly (string | undefined)[]> =>
      Promise.all(
        ['a', 'b'].map(async (name) => (await get(name)).metadata.annotations?.['dms-operator.dev/redeploy']),
      );
    expect(await cli('redeploy', '--all')).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /this makes a revision of 2 deployments \(\S+a, \S+b\) and there is nobody to ask: nothing is redeployed; give --yes/,
      ) as string,
    });
    expect(await asked()).toEqual([undefined, undefined]);
    expect((await cli('redeploy', '--all', '--yes')).code).toBe(0);
    expect(await asked()).not.toContain(undefined);
    expect((await cli('redeploy', 'a', 'b')).code).toBe(0);
  });

  it('do not wait for a paused resource', async () => {
    const { cli, create } = await aWorld();
    await create('a', {}, { annotations: { 'dms-operator.dev/paused': 'true' } });
    expect(await cli('reconcile', 'a', '--wait')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is paused') as string,
    });
  });

  it('show how all are', async () => {
    const { cli, recorded, create, setStatus } = await aWorld();
    await create('a');
    await create('new');
    await setStatus('a', {
      ...{ ...WAITING, serviceStatus: 'READY', deploymentID: '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f' },
      ...{ activeRevisionID: 'rev-1', latestRevisionID: 'rev-2' },
      observed: { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } },
    });
    let shown = '';
    for (const format of ['text', 'wide', 'name', 'yaml']) shown += await recorded('status', '-o', format);
    await expect(shown).toMatchFileSnapshot('../../golden/status.txt');
    expect(JSON.parse((await cli('status', 'a', '-o', 'json')).out)).toMatchObject({
      resources: [{ name: 'a', ready: 'True', synced: 'False', lastChangeTime: TIME }],
    });
    const everywhere = await run(['status', '-A', '--kubeconfig', plane().kubeconfigFile]);
    expect(everywhere.out).toMatch(/^NAMESPACE +NAME/);
  });

  it('report the namespace of the context if it is empty', async () => {
    const { code, out, err } = await run(['status', '--kubeconfig', plane().kubeconfigFile]);
    expect([code, out, err]).toEqual([0, '', 'no deployments.dms-operator.dev in namespace default\n']);
  });

  it('never show a refused token', async () => {
    const { cli } = await aWorld();
    const token = 'a-token-that-nobody-may-see';
    noteSecret(token);
    const { code, err } = await cli('status', '--user', 'nobody', '--token', token);
    expect(code).toBe(1);
    expect(err).toMatch(/^dms-operator: [^\n]+\n$/);
    expect(err).not.toContain(token);
  });
});
