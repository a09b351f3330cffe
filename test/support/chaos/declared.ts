import { API_VERSION } from '../../../src/api/metadata.ts';
import type { WireObject } from '../../../src/wire/wire-json.ts';

/** A resource that actors create, edit, rotate and delete, with its current declaration. */
export interface Declared {
  readonly name: string;
  /** Whether the deployment is created and deleted with its resource, or existed before and stays. */
  readonly origin: 'made' | 'adopted';
  state: 'absent' | 'present' | 'leaving';
  /**
   * Number of times it was applied after a deletion. The image contains the number, which distinguishes one creation
   * from the next.
   */
  incarnation: number;
  /** Values are numbered and never reused. So a value that equals an earlier one was sent again. */
  image: number;
  cpu: number;
  url: number;
  word: number;
  token: number;
  /** Whether somebody edited the deployment at the service since the resource was last created. */
  editedByHand: boolean;
}

/** Creates a resource that is not applied yet. */
export function undeclared(name: string, origin: Declared['origin']): Declared {
  const values = { image: 0, cpu: 0, url: 0, word: 0, token: 0 };
  return { name, origin, state: 'absent', incarnation: 0, ...values, editedByHand: false };
}

/** The names that the values of a resource have at the service. */
export function wireContent(d: Declared): {
  readonly url: string;
  readonly cpu: number;
  readonly image: string;
  readonly secrets: Readonly<Record<string, string>>;
} {
  return {
    url: `https://${d.name}.example.com/${d.url}`,
    cpu: 1 + d.cpu / 100,
    image: imageOf(d.name, d.incarnation, d.image),
    secrets: { TOKEN: tokenOf(d), WORD: `word-${d.word}-inlined-in-${d.name}` },
  };
}

/** Returns an image whose text names the resource and the incarnation that declare it. */
function imageOf(name: string, incarnation: number, version: number): string {
  return `registry.example.com/${name}:${incarnation}.${version}`;
}

function tokenOf({ name, token }: Declared): string {
  return `token-${token}-referred-to-by-${name}`;
}

/** Returns the spec that declares the current values. */
export function specOf(d: Declared): Readonly<Record<string, unknown>> {
  const { cpu, image, secrets, url } = wireContent(d);
  return {
    deploymentRef: { name: d.name },
    source: 'external_container',
    ...(d.origin === 'made' ? { creation: { policy: 'IfMissing' }, deletionPolicy: 'Delete' } : {}),
    secretsOwnership: 'Exclusive',
    rollout: { maxRevisionsPerHour: 100 },
    sourceConfig: { customURL: url, resourceSpec: { cpu } },
    sourceRevisionConfig: { imageURI: image },
    secrets: [
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: secretName(d), key: 'token' } } },
      { name: 'WORD', value: secrets['WORD'] },
    ],
  };
}

/** Returns the manifest of the resource. */
export function manifestOf(d: Declared): object {
  return {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: { name: d.name },
    spec: specOf(d),
  };
}

/** Returns the name of the Secret with its token. */
export function secretName({ name }: Pick<Declared, 'name'>): string {
  return `${name}-tokens`;
}

/** Returns the manifest of the Secret with its token. */
export function secretManifestOf(d: Declared): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName(d) },
    stringData: { token: tokenOf(d) },
  };
}

/** Values that no resource declares and that therefore must not change. */
export const THEIRS = { max_scale: 7, labels: { team: 'theirs' } } as const;

/** Returns the seed of a deployment that exists before its resource. */
export function adoptedSeed(name: string): WireObject {
  return {
    name,
    source: 'external_container',
    source_config: { custom_url: 'https://by-hand.example.com', resource_spec: { cpu: 0.5, ...THEIRS } },
    source_revision_config: { image_uri: 'registry.example.com/by-hand:1' },
    secrets: { LEFT_OVER: 'a-secret-put-there-by-hand' },
  };
}
