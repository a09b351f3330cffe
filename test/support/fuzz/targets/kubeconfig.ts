import { loadClusterConfig } from '../../../../src/kubernetes/client/load-cluster-config.ts';
import { ExpectedError } from '../../../../src/base/expected-error.ts';
import { VirtualClock } from '../../doubles/virtual-clock.ts';
import { SECRET } from '../harm.ts';
import { HUGE_YAML } from '../inputs/huge.ts';
import { Scratch } from '../scratch.ts';
import { must, type Target, type Targets, texts, told } from '../target.ts';

const KUBECONFIG = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'main',
  preferences: {},
  clusters: [
    {
      name: 'c',
      cluster: {
        server: 'https://127.0.0.1:6443',
        'certificate-authority-data': 'YQ==',
        'tls-server-name': 'x',
      },
    },
    {
      name: 'd',
      cluster: {
        server: 'http://127.0.0.1:8080',
        'insecure-skip-tls-verify': true,
        'proxy-url': 'http://127.0.0.1:1',
      },
    },
  ],
  contexts: [
    { name: 'main', context: { cluster: 'c', user: 'u', namespace: 'team-a' } },
    { name: 'other', context: { cluster: 'd', user: 'v' } },
  ],
  users: [
    { name: 'u', user: { token: SECRET, as: 'jane' } },
    {
      name: 'v',
      user: {
        username: 'jane',
        password: SECRET,
        'client-certificate-data': 'YQ==',
        'client-key-data': 'YQ==',
      },
    },
  ],
};

const KUBECONFIG_YAML = `apiVersion: v1
kind: Config
current-context: main
clusters:
- name: c
  cluster: {server: https://127.0.0.1:6443, insecure-skip-tls-verify: true}
contexts:
- name: main
  context:
    cluster: c
    user: u
    namespace: team-a
users:
- name: u
  user:
    token: "${SECRET}"
`;

const scratch = new Scratch();

const kubeconfigs: Target = {
  whole: texts(JSON.stringify(KUBECONFIG), KUBECONFIG_YAML),
  isJSON: false,
  frames: [
    (huge) => huge,
    (huge) => `${KUBECONFIG_YAML}preferences: ${huge}\n`,
    (huge) => `current-context: a\nclusters: [{name: a, cluster: {server: ${huge}}}]\n`,
    (huge) => `current-context: ${huge}\ncontexts: [{name: a, context: {cluster: ${huge}}}]\n`,
  ],
  huge: HUGE_YAML,
  share: 1 / 4,
  read: async (input) => {
    const kubeconfig = scratch.write('config', input);
    try {
      // Credentials are not loaded, because a changed text may name any program or file of this machine.
      const {
        contextNamespace = '',
        server,
        context = '',
      } = await loadClusterConfig({ kubeconfig }, new VirtualClock());
      must(
        [contextNamespace, server, context].every((text) => typeof text === 'string'),
        'names are texts',
      );
      must(URL.canParse(server), 'the server has an address');
      return [];
    } catch (error) {
      return told(error, ExpectedError).map(withoutNames);
    }
  },
};

/** Removes names from a message. A missing quote turns a token into a name, and messages show names. */
function withoutNames(message: string): string {
  return message.replace(/(?<=^kubeconfig: (?:context|the server of cluster) ).*/s, (names) =>
    names.replaceAll(SECRET, ''),
  );
}

/** Readers of kubeconfigs. */
export const TARGETS: Targets<'kubeconfig'> = { kubeconfig: kubeconfigs };
