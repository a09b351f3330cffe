import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { isCommit } from '../values/identifiers.ts';
import { isWireObject, objectOf } from '../values/wire-values.ts';
import type { Normalisation } from '../switches/semantics.ts';

/** The two config objects of a deployment (2.4, 2.6). */
export interface Configs {
  readonly sourceConfig: WireObject;
  readonly revisionConfig: WireObject;
}

/**
 * Returns the configs as a service shows them that rounds, completes, resolves or reorders values. `commit` is the
 * latest commit.
 */
export function normalised(
  which: readonly Normalisation[],
  configs: Configs,
  commit: string | null,
): Configs {
  return which.reduce((current, name) => NORMALISE[name](current, commit), configs);
}

/** The values that `add-defaults` uses for fields without a value. */
const RESOURCE_DEFAULTS: WireObject = {
  min_scale: 1,
  max_scale: 1,
  cpu: 1,
  memory_mb: 1024,
  queue_min_scale: 1,
  queue_max_scale: 1,
  db_cpu: 0.5,
  db_memory_mb: 1024,
  db_storage_gi: 8,
};

const NORMALISE: Record<Normalisation, (configs: Configs, commit: string | null) => Configs> = {
  round1: (configs) => withNumbers(configs, (value) => Math.round(value * 10) / 10),
  integer: (configs) => withNumbers(configs, Math.ceil),
  'add-defaults': (configs) => ({
    ...configs,
    sourceConfig: {
      build_on_push: false,
      ...configs.sourceConfig,
      resource_spec: { ...RESOURCE_DEFAULTS, ...objectOf(configs.sourceConfig['resource_spec']) },
    },
  }),
  'ref-to-sha': (configs, commit) => {
    const ref = configs.revisionConfig['repo_ref'];
    if (commit === null || typeof ref !== 'string' || isCommit(ref)) return configs;
    return { ...configs, revisionConfig: { ...configs.revisionConfig, repo_ref: commit } };
  },
  'trailing-slash': (configs) =>
    withTexts(configs, ['repo_url', 'custom_url'], (text) => (text.endsWith('/') ? text : `${text}/`)),
  'lower-case': (configs) =>
    withTexts(configs, ['repo_url', 'custom_url', 'image_uri'], (text) => text.toLowerCase()),
  reorder: (configs) => ({
    ...configs,
    sourceConfig: {
      ...configs.sourceConfig,
      ...('resource_spec' in configs.sourceConfig
        ? { resource_spec: reordered(configs.sourceConfig['resource_spec'] ?? null) }
        : {}),
    },
  }),
};

function withNumbers(configs: Configs, change: (value: number) => number): Configs {
  const spec = configs.sourceConfig['resource_spec'];
  if (!isWireObject(spec)) return configs;
  const changed = Object.entries(spec).map(([key, value]) => [
    key,
    typeof value === 'number' ? change(value) : value,
  ]);
  const resource_spec = Object.fromEntries(changed) as WireObject;
  return { ...configs, sourceConfig: { ...configs.sourceConfig, resource_spec } };
}

function withTexts(configs: Configs, keys: readonly string[], change: (text: string) => string): Configs {
  const apply = (object: WireObject): WireObject =>
    Object.fromEntries(
      Object.entries(object).map(([key, value]) => [
        key,
        keys.includes(key) && typeof value === 'string' ? change(value) : value,
      ]),
    );
  return { sourceConfig: apply(configs.sourceConfig), revisionConfig: apply(configs.revisionConfig) };
}

/** Lists whose order does not matter; the order of init containers, commands and arguments does. */
const UNORDERED = new Set([
  'image_pull_secrets',
  'volumes',
  'volume_mounts',
  'sidecars',
  'env',
  'volumeMounts',
]);

function reordered(value: WireJson, key = ''): WireJson {
  if (Array.isArray(value)) {
    const items = (value as readonly WireJson[]).map((item) => reordered(item));
    return UNORDERED.has(key) ? items.toReversed() : items;
  }
  if (!isWireObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reordered(member, name)]),
  );
}
