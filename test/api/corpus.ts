import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '../../src/api/metadata.ts';

/** A file of the corpus: one manifest, with at most one error. Its head states the expected result. */
export interface Sample {
  readonly name: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly accepted: boolean;
  /** The place of the error: a path such as `spec.source`, or `line 7`. Absent for an error of the whole file. */
  readonly wrongAt?: string | undefined;
}

/** A manifest that replaces another one. `status` is the controller's status on the older one. */
export interface Change {
  readonly name: string;
  readonly before: Manifest;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly after: Manifest;
  readonly wrongAt?: string;
}

/** A manifest in its source form. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: 'Deployment' | 'Connection' | 'ClusterConnection';
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name?: string };
  readonly spec?: unknown;
  readonly [key: string]: unknown;
}

export const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const OTHER_ID = '7C1F3F0E-52B8-4F4E-9A64-0D8A4F8B1C22';

/** Returns a Deployment. `spec` is merged into the minimal one. */
export function deployment(spec: Readonly<Record<string, unknown>>, more: object = {}): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: { name: 'sample' },
    spec: { source: 'codehost', ...spec },
    ...more,
  };
}

/** Returns a Connection. `spec` is merged into the minimal one. */
export function connection(spec: Readonly<Record<string, unknown>>): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name: 'sample' },
    spec: { baseURL: 'https://deploy.example.com/api', ...spec },
  };
}

/** Returns a ClusterConnection. `spec` is merged into the minimal one. */
export function clusterConnection(spec: Readonly<Record<string, unknown>>): Manifest {
  return { ...connection(spec), kind: 'ClusterConnection' };
}

const FOLDER = join(import.meta.dirname, 'corpus');
const HEAD = /^\uFEFF?# (?<name>.+)[.]\r?\n# (?<verdict>Accepted|Refused)(?: at (?<wrongAt>.+))?[.]\r?\n/;

/** Every file of the corpus. The offline check and the API server give the same verdict on each. */
export const SAMPLES: readonly Sample[] = readdirSync(FOLDER).map((name) => {
  const file = join(FOLDER, name);
  const bytes = readFileSync(file);
  const head = HEAD.exec(bytes.toString())?.groups;
  if (head === undefined) throw new Error(`${file} does not say what must become of it`);
  const { verdict, wrongAt } = head;
  return { name: head['name'] ?? name, file, bytes, accepted: verdict === 'Accepted', wrongAt };
});

const notFound = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Synced',
      status: 'False',
      reason: 'NotFound',
      message: 'the service does not list it',
      observedGeneration: 1,
      lastTransitionTime: '2026-11-20T10:00:00Z',
    },
  ],
};
const inSync = {
  ...notFound,
  conditions: notFound.conditions.map((each) => ({ ...each, reason: 'InSync' })),
};

export const CHANGES: readonly Change[] = [
  {
    name: 'another field',
    before: deployment({}),
    after: deployment({ sourceConfig: { buildOnPush: true } }),
  },
  {
    name: 'another source',
    before: deployment({}),
    after: deployment({ source: 'internal_source' }),
    wrongAt: 'spec.source',
  },
  { name: 'a reference added', before: deployment({}), after: deployment({ deploymentRef: { id: ID } }) },
  {
    name: 'the same reference',
    before: deployment({ deploymentRef: { id: ID } }),
    after: deployment({ deploymentRef: { id: ID }, approval: 'Manual' }),
  },
  {
    name: 'another id',
    before: deployment({ deploymentRef: { id: ID } }),
    after: deployment({ deploymentRef: { id: OTHER_ID } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'a reference removed',
    before: deployment({ deploymentRef: { id: ID } }),
    after: deployment({}),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'another id while it is in sync',
    before: deployment({ deploymentRef: { id: ID } }),
    status: inSync,
    after: deployment({ deploymentRef: { id: OTHER_ID } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'another id while it is not found',
    before: deployment({ deploymentRef: { name: 'x' } }),
    status: notFound,
    after: deployment({ deploymentRef: { id: OTHER_ID } }),
  },
  {
    name: 'another name while it is not found',
    before: deployment({ deploymentRef: { name: 'x' } }),
    status: notFound,
    after: deployment({ deploymentRef: { name: 'y' } }),
    wrongAt: 'spec.deploymentRef',
  },
  {
    name: 'a reference removed while it is not found',
    before: deployment({ deploymentRef: { name: 'x' } }),
    status: notFound,
    after: deployment({}),
    wrongAt: 'spec.deploymentRef',
  },
];
