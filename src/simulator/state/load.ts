import type { WireObject } from '../../wire/json.ts';
import { uuidFrom } from '../values/identifiers.ts';
import { type DeploymentSeed, deploymentSeed } from './seed.ts';

const KINDS: readonly ((at: number) => { source: string; config: WireObject; revision: WireObject })[] = [
  (at) => ({
    source: 'external_container',
    config: {
      resource_spec: { cpu: 1 + (at % 4), memory_mb: 1024 * (1 + (at % 8)), max_scale: 1 + (at % 5) },
    },
    revision: { image_uri: `registry.example.com/load/agent:${1 + (at % 9)}` },
  }),
  (at) => ({
    source: 'codehost',
    config: {
      integration_id: uuidFrom('integration of the load'),
      repo_url: `https://codehost.example.com/load/repository-${at}`,
      build_on_push: at % 3 === 0,
    },
    revision: { repo_ref: 'main', graph_config_path: 'graph.json' },
  }),
  (at) => ({
    source: 'internal_container',
    config: {},
    revision: { image_uri: `registry.example.com/pushed/agent:${at}` },
  }),
  (at) => ({
    source: 'internal_source',
    config: { install_command: 'npm ci', build_command: 'npm run build' },
    revision: { source_tarball_path: `uploads/${uuidFrom(`tarball ${at}`)}.tar.gz` },
  }),
  () => ({ source: 'internal_template', config: {}, revision: {} }),
];

/** So many deployments named `<prefix>-00000` and on, of all five sources in turn, the same in every run. */
export function manyDeployments(howMany: number, prefix = 'load'): readonly DeploymentSeed[] {
  return Array.from({ length: howMany }, (_, at) => {
    const { source, config, revision } = (KINDS[at % KINDS.length] as (typeof KINDS)[number])(at);
    const name = `${prefix}-${String(at).padStart(5, '0')}`;
    return deploymentSeed(name, {
      id: uuidFrom(`load ${name}`),
      source,
      sourceConfig: config,
      revisionConfig: revision,
      secrets: at % 2 === 0 ? [{ name: 'API_TOKEN', value: `token-of-${name}` }] : [],
    });
  });
}
