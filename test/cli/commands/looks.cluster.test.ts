import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { dispatch } from '../../../src/cli/dispatch.ts';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { MemoryTerminal, run } from '../support/terminal.ts';

const plane = useControlPlane();
const PATH = '/apis/dms-operator.dev/v1alpha1/namespaces';

interface Kubeconfig {
  readonly contexts: readonly { readonly context: { namespace?: string } }[];
}

/**
 * Creates a namespace with a Connection to a service and a resource for one of its deployments, and contexts that name
 * the namespace.
 */
async function aWorld() {
  await plane().installCRDs();
  const namespace = await plane().createNamespace('looks');
  const { url, service } = await servedService([
    { name: 'agent', revisionConfig: { image_uri: 'registry.example.com/agent:1' } },
    { name: 'other', revisionConfig: { image_uri: 'registry.example.com/other:1' } },
  ]);
  const create = async (plural: string, text: string): Promise<void> => {
    const answer = await plane().request('POST', `${PATH}/${namespace}/${plural}`, parse(text) as object);
    if (answer.status >= 400) throw new Error(answer.text);
  };
  await create('connections', connectionTo(url, { namespace }));
  await create('deployments', deploymentYaml('agent', { namespace }));
  const config = parse(readFileSync(plane().kubeconfigFile, 'utf8')) as Kubeconfig;
  const contextOf = (name: string): string => {
    for (const { context } of config.contexts) context.namespace = name;
    return temporaryFolder({ config: stringify(config) }).at('config');
  };
  return { namespace, service, inside: contextOf(namespace), outside: contextOf('default') };
}

describe('get, describe and import from a cluster', () => {
  it('use the namespace of the context, as kubectl does, unless another is given', async () => {
    const { namespace, inside, outside } = await aWorld();
    const listed = { out: 'agent\nother\n', err: '', code: 0 };
    const get = ['get', 'deployments', '-o', 'name', '--kubeconfig'];
    expect(await run([...get, inside])).toEqual(listed);
    expect(await run([...get, outside, '-n', namespace])).toEqual(listed);
    // Other tests share the API server and may have a ClusterConnection at that moment.
    expect(await run([...get, outside])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/there is no Connection|ClusterConnection \S+ .*cannot be used/) as string,
    });

    const describing = ['describe', 'agent', '-o', 'yaml', '--kubeconfig'];
    expect((await run([...describing, inside])).out).toContain('name: agent\n');
    expect((await run([...describing, outside])).err).toContain('dev agent in namespace default;');
    expect(await run([...describing, outside, '-A', '-n', namespace])).toMatchObject({ code: 64, out: '' });

    const { out, err, code } = await run(['import', '--all', '--kubeconfig', inside]);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out).toContain('name: other\n');
    expect(out).not.toContain('name: agent\n');
  });
});

describe('kubectl dms plan', () => {
  it('reads the cluster of the current context, for manifests of its namespace', async () => {
    const { inside, service } = await aWorld();
    const image = 'registry.example.com/agent:2';
    const manifest = deploymentYaml('agent', { image }).replace(/\n {2}namespace: .*/, '');
    const folder = temporaryFolder({ 'agent.yaml': manifest });
    const as = async (program: string, ...words: readonly string[]) => {
      const terminal = new MemoryTerminal();
      const code = await dispatch(['plan', '-f', folder.path, ...words], program, terminal);
      return { out: terminal.outText, err: terminal.errText, code };
    };
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = inside;
    try {
      expect(await as('kubectl dms')).toMatchObject({
        code: 2,
        out: expect.stringContaining('agent:1  registry.example.com/agent:2') as string,
      });
      expect((await as('dms-operator')).err).toContain('there is no');
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
    expect(service.log.requests().every(({ method }) => method === 'GET')).toBe(true);
  });
});
