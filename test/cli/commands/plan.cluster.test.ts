import { describe, expect, it } from 'vitest';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { aWorld } from '../../support/worlds/e2e-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';
import { run } from '../support/terminal.ts';

const plane = useControlPlane();
const imageOf = (version: number): string => `registry.example.com/agent:${version}`;
const SECRETS = `  secrets: [{name: API_TOKEN, valueFrom: {secretKeyRef: {name: agent, key: token}}}]\n`;

describe('plan with a cluster', () => {
  it('compares manifests with what the controller applied, including masked secrets, and writes nothing', async () => {
    const world = await aWorld(plane(), {
      rolloutSeconds: 0,
      semantics: { secretsEcho: 'stars' },
      deployments: [
        { name: 'agent', secrets: [{ name: 'API_TOKEN', value: 'token-of-the-agent' }] },
        { name: 'other', revisionConfig: { image_uri: imageOf(1) } },
      ],
    });
    const { namespace } = world;
    const manifests = (version: number, token = 'token-of-the-agent'): string =>
      together(
        // The Secret comes first. If the controller saw it late, two writes would follow each other within the window.
        secretYaml('agent', { token }, namespace),
        deploymentYaml('agent', { namespace, image: imageOf(version), spec: SECRETS }),
        deploymentYaml('other', { namespace, image: imageOf(1) }),
      );
    const where = [
      '--kubeconfig',
      plane().kubeconfigFile,
      '-n',
      namespace,
      '--operator-namespace',
      namespace,
    ];
    const plan = (stdin: string) => run(['plan', '-f', '-', ...where], { stdin });
    try {
      await world.apply(manifests(2));
      await world.untilReason('agent', 'InSync');
      await world.untilReason('other', 'InSync');
      await world.operator.stop();
      const patches = world.patches().length;
      const versions = (): Promise<string> =>
        world.kubectl(
          'get',
          'dmsd,dmsc,secrets,leases',
          '-o',
          'jsonpath={.items[*].metadata.resourceVersion}',
        );
      const before = await versions();

      expect(await plan(manifests(2))).toEqual({ out: 'Plan: 2 unchanged.\n', err: '', code: 0 });
      const edited = await plan(manifests(3));
      expect(edited.out).toMatch(
        /imageURI +registry.example.com\/agent:2 +registry.example.com\/agent:3 +expected/,
      );
      expect(edited.out).not.toContain('cannot be judged');
      expect(edited.code).toBe(2);
      const rotated = await plan(manifests(2, 'rotated-token-of-the-agent'));
      expect(rotated.out).toMatch(/secrets +as applied +changed: API_TOKEN/);
      expect(await versions()).toBe(before);
      expect(world.patches()).toHaveLength(patches);
    } finally {
      await world.end();
    }
  });

  it('reports in one line what is wrong with the connection to the cluster', async () => {
    const stdin = deploymentYaml('agent');
    const lines = async (...words: readonly string[]): Promise<string> => {
      const { out, err, code } = await run(['plan', '-f', '-', ...words], { stdin });
      expect({ out, code }).toEqual({ out: '', code: 1 });
      return err;
    };
    expect(await lines('--kubeconfig', '/nonexistent')).toMatch(
      /^dms-operator: kubeconfig: .*nonexistent.*\n$/,
    );
    expect(await lines('--kubeconfig', plane().kubeconfigFile, '--context', 'no-such')).toMatch(
      /^dms-operator: kubeconfig: context "no-such" does not exist; known: .*\n$/,
    );
  });
});
