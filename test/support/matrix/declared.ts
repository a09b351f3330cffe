import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import type { WireJson } from '../../../src/wire/wire-json.ts';

/** A field that stories declare, edit and release. */
export interface Managed {
  /** Block and name in the custom resource. */
  readonly at: readonly ['sourceConfig' | 'resourceSpec' | 'sourceRevisionConfig', string];
  /** The path in wire names. */
  readonly wire: string;
  /** Values that differ from one another even after normalisation, and from the defaults of the service. */
  readonly values: readonly WireJson[];
}

/** The fields by the names that stories use. */
export const MANAGED = {
  image: {
    at: ['sourceRevisionConfig', 'imageURI'],
    wire: 'source_revision_config.image_uri',
    values: ['r.example.com/Agent:1', 'r.example.com/agent:2', 'r.example.com/agent:3'],
  },
  branch: {
    at: ['sourceRevisionConfig', 'repoRef'],
    wire: 'source_revision_config.repo_ref',
    values: ['main', 'release', 'hotfix'],
  },
  cpu: {
    at: ['resourceSpec', 'cpu'],
    wire: 'source_config.resource_spec.cpu',
    values: [1.55, 2.75, 4],
  },
  volumes: {
    at: ['resourceSpec', 'volumes'],
    wire: 'source_config.resource_spec.volumes',
    values: [[{ name: 'a' }], [{ name: 'a' }, { name: 'b', emptyDir: {} }], [{ name: 'c', emptyDir: {} }]],
  },
  labels: {
    at: ['resourceSpec', 'labels'],
    wire: 'source_config.resource_spec.labels',
    values: [{ tier: 'one' }, { tier: 'two' }, { tier: 'three' }],
  },
  url: {
    at: ['sourceConfig', 'customURL'],
    wire: 'source_config.custom_url',
    values: ['https://A.example.com/one', 'https://a.example.com/two/', 'https://a.example.com/three'],
  },
  repo: {
    at: ['sourceConfig', 'repoURL'],
    wire: 'source_config.repo_url',
    values: [
      'https://code.example.com/agent/',
      'https://code.example.com/other/',
      'https://code.example.com/third/',
    ],
  },
  command: {
    at: ['sourceConfig', 'buildCommand'],
    wire: 'source_config.build_command',
    values: ['make one', 'make two', 'make three'],
  },
} as const satisfies Readonly<Record<string, Managed>>;

/** One of the fields. */
export type ManagedName = keyof typeof MANAGED;

/** Names of secrets that stories declare. */
export const SECRET_NAMES = ['API_TOKEN', 'DB_PASSWORD'] as const;

/** One of the names. */
export type SecretName = (typeof SECRET_NAMES)[number];

/** The Secret with their values. */
export const SECRET_OBJECT = 'agent-secrets';

/** The declaration of a resource at one moment of a story. */
export interface Declared {
  readonly fields: Readonly<Partial<Record<ManagedName, WireJson>>>;
  /** Absent: the list of secrets is not managed. */
  readonly secrets?: readonly SecretName[];
  /** Fields to be emptied. */
  readonly cleared: readonly ManagedName[];
}

/** Returns the path of a field in the custom resource. */
function pathOf(name: ManagedName): string {
  const [block, field] = MANAGED[name].at;
  return `${block === 'resourceSpec' ? 'sourceConfig.resourceSpec' : block}.${field}`;
}

/** Returns the spec with this declaration. */
export function specOf(
  declared: Declared,
  about: Pick<DeploymentSpec, 'source' | 'secretsOwnership' | 'rollout' | 'driftPolicy'>,
): DeploymentSpec {
  const block = (wanted: Managed['at'][0]): Record<string, WireJson> =>
    Object.fromEntries(
      Object.entries(declared.fields).flatMap(([name, value]) => {
        const [own, field] = MANAGED[name as ManagedName].at;
        return own === wanted ? [[field, value]] : [];
      }),
    );
  const resourceSpec = block('resourceSpec');
  return {
    ...about,
    sourceConfig: {
      ...block('sourceConfig'),
      ...(Object.keys(resourceSpec).length === 0 ? {} : { resourceSpec }),
    },
    sourceRevisionConfig: block('sourceRevisionConfig'),
    ...(declared.secrets === undefined
      ? {}
      : {
          secrets: declared.secrets.map((name) => ({
            name,
            valueFrom: { secretKeyRef: { name: SECRET_OBJECT, key: name } },
          })),
        }),
    ...(declared.cleared.length === 0 ? {} : { clear: declared.cleared.map(pathOf) }),
  } as DeploymentSpec;
}
