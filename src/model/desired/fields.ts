/** The place of a field in a PATCH request. */
export type Block = 'sourceConfig' | 'resourceSpec' | 'sourceRevisionConfig' | 'secretReferences';

/**
 * How two values of a field are compared.
 * - `exact`: as JSON, with null, absent and empty alike.
 * - `overlay`: only the desired keys (labels, annotations).
 * - `set`: a list whose order does not matter, keyed by one property; `parts` describes lists inside an item.
 * - `sequence`: a list in order, with `parts`.
 */
export type Shape =
  | { readonly kind: 'exact' }
  | { readonly kind: 'overlay' }
  | { readonly kind: 'set'; readonly key: string; readonly parts: Readonly<Record<string, Shape>> }
  | { readonly kind: 'sequence'; readonly parts: Readonly<Record<string, Shape>> };

/** How status and events may show a value: commands, lists and maps can contain tokens. */
export type Display = 'value' | 'url' | 'changed';

/** One comparable field of sections 2.4 to 2.7. */
export interface Field {
  /** The path in `status.applied.fields` and `status.plan`, for example `sourceConfig.resourceSpec.cpu`. */
  readonly path: string;
  readonly block: Block;
  /** The name inside its block. */
  readonly name: string;
  readonly shape: Shape;
  readonly display: Display;
  /** One of the four fields that section 2.4 may mean by "cannot be modified". */
  readonly mayBeImmutable: boolean;
}

const EXACT: Shape = { kind: 'exact' };
const OVERLAY: Shape = { kind: 'overlay' };
const BY_NAME: Shape = { kind: 'set', key: 'name', parts: {} };
const MOUNTS: Shape = { kind: 'set', key: 'mountPath', parts: {} };
const CONTAINER_PARTS = {
  command: { kind: 'sequence', parts: {} },
  args: { kind: 'sequence', parts: {} },
  env: BY_NAME,
  envFrom: { kind: 'sequence', parts: {} },
  volumeMounts: MOUNTS,
  resources: EXACT,
  securityContext: EXACT,
} as const;

/** The names of the number fields of a resource spec (2.5), in the order of the specification. */
const RESOURCE_NUMBERS = [
  'minScale',
  'maxScale',
  'cpu',
  'cpuLimit',
  'memoryMB',
  'memoryLimitMB',
  'queueMinScale',
  'queueMaxScale',
  'queueCPU',
  'queueCPULimit',
  'queueMemoryMB',
  'queueMemoryLimitMB',
  'orchestratorCPU',
  'orchestratorCPULimit',
  'orchestratorMemoryMB',
  'orchestratorMemoryLimitMB',
  'orchestratorMinScale',
  'orchestratorMaxScale',
  'executorCPU',
  'executorCPULimit',
  'executorMemoryMB',
  'executorMemoryLimitMB',
  'cacheCPU',
  'cacheCPULimit',
  'cacheMemoryMB',
  'cacheMemoryLimitMB',
  'dbCPU',
  'dbCPULimit',
  'dbMemoryMB',
  'dbMemoryLimitMB',
  'dbStorageGi',
  'dbMaxConnections',
] as const;

type Row = readonly [name: string, shape: Shape, display: Display, mayBeImmutable?: boolean];

const SOURCE_CONFIG: readonly Row[] = [
  ['integrationID', EXACT, 'value', true],
  ['repoURL', EXACT, 'url', true],
  ['buildOnPush', EXACT, 'value'],
  ['customURL', EXACT, 'url'],
  ['listenerID', EXACT, 'value', true],
  ['listenerConfig', EXACT, 'changed', true],
  ['installCommand', EXACT, 'changed'],
  ['buildCommand', EXACT, 'changed'],
];

const RESOURCE_SPEC: readonly Row[] = [
  ...RESOURCE_NUMBERS.map((name): Row => [name, EXACT, 'value']),
  ['labels', OVERLAY, 'changed'],
  ['annotations', OVERLAY, 'changed'],
  ['serviceAccountName', EXACT, 'value'],
  ['imagePullSecrets', BY_NAME, 'changed'],
  ['volumes', BY_NAME, 'changed'],
  ['volumeMounts', MOUNTS, 'changed'],
  ['initContainers', { kind: 'sequence', parts: CONTAINER_PARTS }, 'changed'],
  ['sidecars', { kind: 'set', key: 'name', parts: CONTAINER_PARTS }, 'changed'],
];

const SOURCE_REVISION_CONFIG: readonly Row[] = [
  ['repoRef', EXACT, 'value'],
  ['graphConfigPath', EXACT, 'value'],
  ['imageURI', EXACT, 'url'],
  ['sourceTarballPath', EXACT, 'url'],
];

function rows(block: Block, prefix: string, table: readonly Row[]): readonly Field[] {
  return table.map(([name, shape, display, mayBeImmutable = false]) => ({
    path: `${prefix}${name}`,
    block,
    name,
    shape,
    display,
    mayBeImmutable,
  }));
}

/** Every field that is compared and sent, except secrets, in the order in which plans list them. */
export const FIELDS: readonly Field[] = [
  ...rows('sourceRevisionConfig', 'sourceRevisionConfig.', SOURCE_REVISION_CONFIG),
  ...rows('sourceConfig', 'sourceConfig.', SOURCE_CONFIG),
  ...rows('resourceSpec', 'sourceConfig.resourceSpec.', RESOURCE_SPEC),
  ...rows('secretReferences', '', [['secretReferences', BY_NAME, 'changed']]),
];

/** The paths of the fields that section 2.4 may mean by "cannot be modified". */
export const MAY_BE_IMMUTABLE: ReadonlySet<string> = new Set(
  FIELDS.filter(({ mayBeImmutable }) => mayBeImmutable).map(({ path }) => path),
);

/** The path of the whole list of secrets in plans, announcements and records. */
export const SECRETS_PATH = 'secrets';

/** The path of `repoRef`, whose shown value may be a commit (N36). */
export const REPO_REF_PATH = 'sourceRevisionConfig.repoRef';

/** Returns whether a write of this block counts as making a revision (section 3, read carefully). */
export function makesRevision(field: Field): boolean {
  return field.block !== 'sourceConfig';
}

const NEED_NONE: ReadonlySet<string> = new Set(
  FIELDS.filter((field) => !makesRevision(field)).map(({ path }) => path),
);

/**
 * Returns whether a write of these paths may make a revision; no paths mean a write that sends everything, or a
 * redeploy.
 */
export function mayMakeRevision(paths: readonly string[]): boolean {
  return paths.length === 0 || paths.some((path) => !NEED_NONE.has(path));
}
