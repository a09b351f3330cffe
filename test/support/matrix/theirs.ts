import type { WireJson } from '../../../src/wire/wire-json.ts';

/**
 * Values that no resource manages: their first values, and those that somebody sets later. No normalisation changes
 * them, so that sending a shown value back changes nothing.
 */
export const THEIRS = {
  install: {
    wire: 'source_config.install_command',
    values: ['npm ci', 'npm ci --theirs', 'npm install'],
  },
  memory: { wire: 'source_config.resource_spec.memory_mb', values: [512, 1536, 4096] },
  account: { wire: 'source_config.resource_spec.service_account_name', values: ['theirs', 'theirs-2', 't3'] },
  graph: {
    wire: 'source_revision_config.graph_config_path',
    values: ['theirs.json', 'theirs-2.json', 'graphs/theirs.json'],
  },
} as const satisfies Readonly<Record<string, { wire: string; values: readonly WireJson[] }>>;

/** One of the values. */
export type TheirName = keyof typeof THEIRS;

/** The secret that somebody set before the operator started. */
export const THEIR_SECRET = { name: 'BY_HAND', value: 'value-set-by-hand' } as const;
