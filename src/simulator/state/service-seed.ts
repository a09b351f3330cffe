import type { WireObject } from '../../wire/wire-json.ts';
import type { WireProvider } from '../../wire/wire-provider.ts';
import type { WireRepository } from '../../wire/wire-repository.ts';
import type { SemanticsPatch } from '../switches/semantics.ts';
import { uuidFrom } from '../values/identifiers.ts';

/** A deployment that exists when the service starts, with the names of section 2.3. */
export interface DeploymentSeed {
  readonly name: string;
  readonly source: string;
  readonly id?: string;
  readonly tenantID?: string;
  readonly sourceConfig: WireObject;
  readonly revisionConfig: WireObject;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly secretReferences: readonly WireObject[] | null;
  readonly imageVersion: string | null;
  /** Replaces the computed status. */
  readonly status: string | null;
  readonly hidden: WireObject;
  /** The switches for this deployment alone. */
  readonly semantics?: SemanticsPatch;
}

/** A code-host integration and its repositories. */
export interface IntegrationSeed {
  readonly id: string;
  readonly repositories: readonly WireRepository[];
}

/** The initial content of a simulated service. */
export interface ServiceSeed {
  readonly semantics: SemanticsPatch;
  readonly providers: readonly WireProvider[];
  readonly integrations: readonly IntegrationSeed[];
  readonly deployments: readonly DeploymentSeed[];
}

/** The seed of an empty service. */
export const EMPTY_SEED: ServiceSeed = { semantics: {}, providers: [], integrations: [], deployments: [] };

/** Returns a deployment seed without any optional part, except for the given ones. */
export function deploymentSeed(
  name: string,
  more: Partial<Omit<DeploymentSeed, 'name'>> = {},
): DeploymentSeed {
  return {
    name,
    source: 'external_container',
    sourceConfig: {},
    revisionConfig: {},
    secrets: [],
    secretReferences: null,
    imageVersion: null,
    status: null,
    hidden: {},
    ...more,
  };
}

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

/**
 * Returns `howMany` deployments, named `<prefix>-00000` and so on, of all five sources in turn, the same in every
 * run.
 */
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
